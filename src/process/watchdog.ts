import { type ChildProcessByStdio, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { Writable } from "node:stream";
import type { Logger } from "../errors/index.js";
import { setRefOf } from "./child.js";
import { hostName, showsEnvironments } from "./host.js";
import { WATCHDOG_SCRIPT } from "./watchdog-script.js";

/**
 * Has a process, and everything below it, ended should this program be killed before the returned
 * function is called.
 */
export function watchOver(pid: number, log?: Logger): () => void {
  if (process.env["HAWSER_WATCHDOG"] === "off") return () => {};
  return watchdog.watch(pid, log);
}

/** One small process for all: it comes with the first to be watched, and goes after the last. */
class Watchdog {
  readonly #watched = new Set<number>();
  #shell: Shell | undefined;
  #isCalled = false;
  #parting: NodeJS.Timeout | undefined;
  #losses = 0;
  #log: Logger | undefined;

  watch(pid: number, log: Logger | undefined): () => void {
    this.#log = log ?? this.#log;
    this.#watched.add(pid);
    clearTimeout(this.#parting);
    if (this.#shell === undefined) this.#call();
    else this.#shell.stdin.write(`+ ${pid}\n`);
    return () => this.#unwatch(pid);
  }

  #unwatch(pid: number): void {
    if (!this.#watched.delete(pid)) return;
    this.#shell?.stdin.write(`- ${pid}\n`);
    if (this.#watched.size > 0) return;
    this.#parting = setTimeout(() => this.#dismiss(), LINGER_MS).unref();
  }

  /** After the caller's own work: the CLI is busy for a while with its start. */
  #call(): void {
    if (this.#isCalled || this.#losses >= MOST_LOSSES) return;
    this.#isCalled = true;
    setImmediate(() => {
      this.#isCalled = false;
      if (this.#watched.size > 0) this.#start();
    });
  }

  #start(): void {
    try {
      const shell = spawnShell();
      this.#shell = shell;
      shell.once("error", (error) => this.#fail(error));
      shell.once("exit", (code, signal) => {
        if (this.#shell === shell) this.#lose(`it was ended: ${signal ?? code}`);
      });
      // That it has gone is told by its exit.
      shell.stdin.on("error", () => {});
      setRefOf(false, [shell, shell.stdin]);
      for (const pid of this.#watched) shell.stdin.write(`+ ${pid}\n`);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
    }
  }

  #fail({ code, message }: NodeJS.ErrnoException): void {
    // Without a shell, as on Windows, trying again would not help.
    if (code === "ENOENT" || code === "EACCES") this.#losses = MOST_LOSSES;
    this.#lose(message);
  }

  #lose(why: string): void {
    this.#shell = undefined;
    this.#losses += 1;
    if (this.#losses < MOST_LOSSES) this.#call();
    else this.#log?.warn(MISSING, { why });
  }

  #dismiss(): void {
    const shell = this.#shell;
    this.#shell = undefined;
    this.#log = undefined;
    shell?.stdin.end("q\n");
  }
}

type Shell = ChildProcessByStdio<Writable, null, null>;

const MISSING = "no watchdog: should this program be killed, what it has started lives on";
const LINGER_MS = 2000;
const MOST_LOSSES = 3;
const watchdog = new Watchdog();

function spawnShell(): Shell {
  const look = showsEnvironments() ? "proc" : "ps";
  const args = ["-c", WATCHDOG_SCRIPT, "hawser-watchdog", hostName(), tmpdir(), look];
  return spawn("/bin/sh", args, {
    // In a session of its own no signal meant for the host reaches it, and it keeps no folder in use.
    detached: true,
    cwd: "/",
    // Without the mark of a host further up, whose own watchdog must leave this one to its work.
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"],
  });
}
