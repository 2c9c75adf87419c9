import type { ChildProcessByStdio } from "node:child_process";
import type { Writable } from "node:stream";
import { HawserError, type Logger } from "../../base/index.js";
import { setRefOf } from "../spawn/child.js";
import { startChild } from "../spawn/start-child.js";
import { temporaryRoots } from "../temporary/temporary-path.js";
import { hostId } from "./host-identity.js";
import { WATCHDOG_NAME } from "./proc-table.js";
import { isOwnProc, processTable } from "./process-table.js";
import { WATCHDOG_SCRIPT } from "./watchdog-script.js";

/** A process that the watchdog knows. */
export interface Watch {
  /** Moves the deadline of the process, if it has one. */
  renew(): void;
  /** The watchdog forgets the process. */
  end(): void;
}

/** How long the watchdog lets a process run without a renewal. */
export interface WatchDeadline {
  readonly limitMs: number;
  /** A text in the environment of the process, and so of everything that it starts. */
  readonly marker: string;
}

/**
 * If this program is killed before the watch ends, the watchdog ends the process and everything
 * below it. The log gets a warning if there can be no watchdog.
 */
export function watchProcess(pid: number, log?: Logger, deadline?: WatchDeadline): Watch {
  if (isOff()) return { renew: () => {}, end: () => {} };
  return watchdog.watch(pid, log, deadline);
}

/** Throws `not_supported` if there can be no watchdog here, so that no deadline would hold. */
export function requireWatchdog(option: string): void {
  const isHidden = process.platform === "linux" && !isOwnProc();
  if (process.platform !== "win32" && !isOff() && !isHidden) return;
  throw new HawserError("not_supported", `${option} needs the watchdog, which cannot run here.`, {
    hint: "Use it on Linux or macOS, without HAWSER_WATCHDOG=off.",
  });
}

function isOff(): boolean {
  return process.env["HAWSER_WATCHDOG"] === "off";
}

/**
 * One shell for all watched processes. It is started for the first process and ends after the last.
 */
export class Watchdog {
  readonly #spawn: () => Promise<Shell>;
  readonly #watched = new Map<number, Watched>();
  #told = new Set<string>();
  #shell: Shell | undefined;
  /** Whether a start is planned or running. */
  #isCalled = false;
  #parting: NodeJS.Timeout | undefined;
  /** How often in a row a start failed or the shell ended soon after its start. */
  #losses = 0;
  /** Why there can be no watchdog. */
  #hindrance: string | undefined;
  #log: Logger | undefined;

  /** @param spawn starts the shell; a test gives its own */
  constructor(spawn: () => Promise<Shell> = spawnShell) {
    this.#spawn = spawn;
  }

  watch(pid: number, log: Logger | undefined, deadline?: WatchDeadline): Watch {
    this.#log = log ?? this.#log;
    const watched = { started: processTable().startOf(pid) ?? "-", deadline };
    this.#watched.set(pid, watched);
    clearTimeout(this.#parting);
    if (this.#hindrance !== undefined) log?.warn(MISSING, { why: this.#hindrance });
    else if (this.#shell === undefined) this.#call(0);
    else this.#tell(this.#shell, pid);
    return {
      renew: () => this.#tellDeadline(pid, watched),
      end: () => this.#unwatch(pid, watched),
    };
  }

  /** A shell that is not there yet hears of the deadline when it starts. */
  #tellDeadline(pid: number, { started, deadline }: Watched): void {
    if (deadline === undefined) return;
    const { limitMs, marker } = deadline;
    this.#shell?.stdin.write(`d ${pid} ${started} ${limitMs / 1000} ${marker}\n`);
  }

  #unwatch(pid: number, watched: Watched): void {
    // A later process may have the same pid by now.
    if (this.#watched.get(pid) !== watched) return;
    this.#watched.delete(pid);
    this.#shell?.stdin.write(`- ${pid} ${watched.started}\n`);
    this.#partIfIdle();
  }

  #partIfIdle(): void {
    if (this.#watched.size > 0) return;
    clearTimeout(this.#parting);
    this.#parting = setTimeout(() => this.#dismiss(), LINGER_MS).unref();
  }

  #tell(shell: Shell, pid: number): void {
    for (const root of temporaryRoots()) {
      if (this.#told.has(root)) continue;
      this.#told.add(root);
      if (!root.includes("\n")) shell.stdin.write(`t ${root}\n`);
    }
    const watched = this.#watched.get(pid);
    if (watched === undefined) return;
    shell.stdin.write(`+ ${pid} ${watched.started}\n`);
    this.#tellDeadline(pid, watched);
  }

  /** Starts the shell later, because the CLI that was just started needs the processor first. */
  #call(afterMs: number): void {
    if (this.#isCalled) return;
    this.#isCalled = true;
    const start = () => void this.#start();
    if (afterMs === 0) setImmediate(start);
    else setTimeout(start, afterMs).unref();
  }

  async #start(): Promise<void> {
    const started = await this.#tryToStart();
    this.#isCalled = false;
    if (started instanceof Error) this.#fail(started);
    else if (started !== undefined) this.#use(started);
    // A watch() that ran since the list was checked relied on this start.
    else if (this.#watched.size > 0 && this.#hindrance === undefined) this.#call(0);
  }

  async #tryToStart(): Promise<Shell | Error | undefined> {
    if (this.#watched.size === 0) return undefined;
    if (process.platform === "linux" && !isOwnProc()) {
      this.#hindrance = "the processes in /proc are not those of this container";
      this.#log?.warn(MISSING, { why: this.#hindrance });
      return undefined;
    }
    try {
      return await this.#spawn();
    } catch (error) {
      return error as Error;
    }
  }

  #use(shell: Shell): void {
    this.#shell = shell;
    this.#told = new Set();
    const cameAt = performance.now();
    shell.once("exit", (code, signal) => {
      if (this.#shell !== shell) return;
      this.#lose(`it was ended: ${signal ?? code}`, performance.now() - cameAt);
    });
    // The exit event reports that the shell has gone.
    shell.stdin.on("error", () => {});
    setRefOf(false, [shell, shell.stdin]);
    for (const pid of this.#watched.keys()) this.#tell(shell, pid);
    this.#partIfIdle();
  }

  #fail({ code, message }: NodeJS.ErrnoException): void {
    // Without a shell, as on Windows, trying again would not help.
    if (code === "ENOENT" || code === "EACCES") this.#hindrance = message;
    this.#lose(message, 0);
  }

  /**
   * The shell is started again while there is something to watch. A command that the CLI runs may
   * end it again and again, or each start may fail, so each pause is longer than the one before, up
   * to a limit. Only a shell that lived for a while makes the pauses short again.
   */
  #lose(why: string, livedMs: number): void {
    this.#shell = undefined;
    this.#losses = livedMs > STEADY_MS ? 1 : this.#losses + 1;
    if (this.#hindrance !== undefined) this.#log?.warn(MISSING, { why });
    else {
      if (this.#losses === FREQUENT) this.#log?.warn(LOST_OFTEN, { why, times: FREQUENT });
      this.#call(pauseAfter(this.#losses));
    }
  }

  #dismiss(): void {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#log = undefined;
    this.#losses = 0;
    shell?.stdin.end("q\n");
  }
}

interface Watched {
  /** `-` if it is unknown. */
  readonly started: string;
  readonly deadline: WatchDeadline | undefined;
}

type Shell = ChildProcessByStdio<Writable, null, null>;

const MISSING = "no watchdog: should this program be killed, what it has started lives on";
const LOST_OFTEN =
  "the watchdog was ended again and again: should this program be killed before it is back, what it has started lives on";
const LINGER_MS = 2000;
const FREQUENT = 3;
const STEADY_MS = 60_000;
const LONGEST_PAUSE_MS = 1000;
const watchdog = new Watchdog();

/** No pause after the first two losses. */
function pauseAfter(losses: number): number {
  return losses < FREQUENT ? 0 : Math.min(50 * 2 ** (losses - FREQUENT), LONGEST_PAUSE_MS);
}

async function spawnShell(): Promise<Shell> {
  const look = process.platform === "linux" ? "proc" : "ps";
  const args = ["-c", WATCHDOG_SCRIPT, WATCHDOG_NAME, hostId(), look];
  const shell = await startChild("/bin/sh", args, {
    // In a session of its own no signal for the host reaches the shell. In / it keeps no folder in
    // use.
    detached: true,
    cwd: "/",
    // Without the marker of an outer host, so that the watchdog of that host does not end this
    // watchdog.
    env: { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  return shell as Shell;
}
