import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { Logger } from "../errors/index.js";
import { setRefOf } from "./child.js";
import { hostName } from "./host.js";
import { isOwnProc, processTable, WATCHDOG_NAME } from "./table.js";
import { temporaryRoots } from "./temporary-folder.js";
import { WATCHDOG_SCRIPT } from "./watchdog-script.js";

/**
 * Has a process, and everything below it, ended should this program be killed before the returned
 * function is called. Who has a log is told if that cannot be.
 */
export function watchOver(pid: number, log?: Logger): () => void {
  if (process.env["HAWSER_WATCHDOG"] === "off") return () => {};
  return watchdog.watch(pid, log);
}

/** One small process for all: it comes with the first to be watched, and goes after the last. */
class Watchdog {
  readonly #watched = new Map<number, Watched>();
  #told = new Set<string>();
  #shell: Shell | undefined;
  #isCalled = false;
  #parting: NodeJS.Timeout | undefined;
  #losses = 0;
  /** Why there can be none. */
  #hindrance: string | undefined;
  #log: Logger | undefined;

  watch(pid: number, log: Logger | undefined): () => void {
    this.#log = log ?? this.#log;
    const watched = { started: processTable().startOf(pid) ?? "-" };
    this.#watched.set(pid, watched);
    this.#losses = 0;
    clearTimeout(this.#parting);
    if (this.#hindrance !== undefined) log?.warn(MISSING, { why: this.#hindrance });
    else if (this.#shell === undefined) this.#call();
    else this.#tell(this.#shell, pid);
    return () => this.#unwatch(pid, watched);
  }

  #unwatch(pid: number, watched: Watched): void {
    // A later process may have its number by now.
    if (this.#watched.get(pid) !== watched) return;
    this.#watched.delete(pid);
    this.#shell?.stdin.write(`- ${pid} ${watched.started}\n`);
    if (this.#watched.size > 0) return;
    this.#parting = setTimeout(() => this.#dismiss(), LINGER_MS).unref();
  }

  #tell(shell: Shell, pid: number): void {
    for (const root of temporaryRoots()) {
      if (this.#told.has(root)) continue;
      this.#told.add(root);
      if (!root.includes("\n")) shell.stdin.write(`t ${root}\n`);
    }
    shell.stdin.write(`+ ${pid} ${this.#watched.get(pid)?.started}\n`);
  }

  /** After the caller's own work: the CLI is busy for a while with its start. */
  #call(): void {
    if (this.#isCalled) return;
    this.#isCalled = true;
    setImmediate(() => {
      this.#isCalled = false;
      if (this.#watched.size > 0) this.#start();
    });
  }

  #start(): void {
    if (process.platform === "linux" && !isOwnProc()) {
      this.#hindrance = "the processes in /proc are not those of this container";
      this.#log?.warn(MISSING, { why: this.#hindrance });
      return;
    }
    try {
      const shell = spawnShell();
      shell.once("error", (error) => this.#fail(error));
      // Then the error is on its way.
      if (shell.stdin !== undefined) this.#use(shell);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
    }
  }

  #use(shell: Shell): void {
    this.#shell = shell;
    this.#told = new Set();
    shell.once("exit", (code, signal) => {
      if (this.#shell === shell) this.#lose(`it was ended: ${signal ?? code}`);
    });
    // That it has gone is told by its exit.
    shell.stdin.on("error", () => {});
    setRefOf(false, [shell, shell.stdin]);
    for (const pid of this.#watched.keys()) this.#tell(shell, pid);
  }

  #fail({ code, message }: NodeJS.ErrnoException): void {
    // Without a shell, as on Windows, trying again would not help.
    if (code === "ENOENT" || code === "EACCES") this.#hindrance = message;
    this.#lose(message);
  }

  /** It comes back a few times by itself, and again with the next process. */
  #lose(why: string): void {
    this.#shell = undefined;
    this.#losses += 1;
    if (this.#hindrance === undefined && this.#losses < MOST_LOSSES) this.#call();
    else this.#log?.warn(MISSING, { why });
  }

  #dismiss(): void {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#log = undefined;
    shell?.stdin.end("q\n");
  }
}

interface Watched {
  /** `-` where it is not known. */
  readonly started: string;
}

type Shell = ChildProcessByStdio<Writable, null, null>;

const MISSING = "no watchdog: should this program be killed, what it has started lives on";
const LINGER_MS = 2000;
const MOST_LOSSES = 3;
const watchdog = new Watchdog();

function spawnShell(): Shell {
  const look = process.platform === "linux" ? "proc" : "ps";
  return spawn("/bin/sh", ["-c", WATCHDOG_SCRIPT, WATCHDOG_NAME, hostName(), look], {
    // In a session of its own no signal meant for the host reaches it, and it keeps no folder in use.
    detached: true,
    cwd: "/",
    // Without the mark of a host further up, whose own watchdog must leave this one to its work.
    env: { PATH: `/usr/bin:/bin:${process.env["PATH"] ?? ""}`, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"],
  });
}
