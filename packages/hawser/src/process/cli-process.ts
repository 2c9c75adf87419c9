import type { Readable, Writable } from "node:stream";
import { type Logger, withTimeout } from "../base/index.js";
import { Deadline } from "./end/deadline.js";
import type { Exit } from "./end/exit-error.js";
import { killAtHostExit } from "./end/kill-at-host-exit.js";
import { ownTurn } from "./end/own-turn.js";
import { type ClosableProcess, register } from "./end/process-registry.js";
import { type ProcessEntry, processTable } from "./end/process-table.js";
import { sweepTree } from "./end/sweep-tree.js";
import { watchProcess } from "./end/watchdog.js";
import type { Child, ChildOutput } from "./spawn/child.js";
import { StderrTail } from "./spawn/stderr-tail.js";
import type { PrivateFolder } from "./temporary/private-folder.js";

/** The owner of a process gets its log lines and its stderr. */
export interface ProcessOwner {
  readonly log: Logger;
  readonly onStderr: (line: string) => void;
}

export interface CliProcessFacts {
  readonly child: Child;
  readonly cliPath: string;
  /** A text in the environment of the process, and so of everything that it starts. */
  readonly marker: string;
  readonly folder: PrivateFolder;
  readonly graceMs: number;
  /** The option `renewWithinMs`. */
  readonly renewWithinMs?: number | undefined;
  readonly owner: ProcessOwner;
}

/**
 * One running CLI with everything below it. It keeps the host's event loop alive only while
 * `hold()` is in effect. Every step of its end has a time limit.
 */
export class CliProcess implements ClosableProcess {
  readonly pid: number | undefined;
  readonly cliPath: string;
  readonly startedAt: Date = new Date();
  readonly stdin: Writable;
  readonly stdout: ChildOutput;
  /** Resolves when the process is gone, its output is read, and nothing of its tree is left. */
  readonly exited: Promise<Exit>;
  /** Present if the process is ended unless it is renewed. */
  readonly deadline: Deadline | undefined;

  readonly #facts: CliProcessFacts;
  #owner: ProcessOwner;
  readonly #stderr: StderrTail;
  readonly #gone: Promise<void>;
  readonly #release: (() => void)[];
  readonly #exitListeners = new Set<(exit: Exit) => void>();
  readonly #tree = new Map<number, ProcessEntry>();
  #settleGone: () => void = () => {};
  #closing: Promise<void> | undefined;
  #exit: Exit | undefined;
  #ending = false;
  #signalled = false;
  #holders = 0;

  constructor(facts: CliProcessFacts) {
    const { child } = facts;
    this.#facts = facts;
    this.#owner = facts.owner;
    this.pid = child.pid;
    this.cliPath = facts.cliPath;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // The writer gets the error of a write to a dead process. Without a listener it would end the
    // program.
    child.stdin.on("error", () => {});
    child.stdout.on("error", () => {});
    this.#stderr = new StderrTail(child.stderr, (line) => this.#owner.onStderr(line));
    this.#gone = new Promise((resolve) => {
      this.#settleGone = resolve;
    });
    child.onGone(() => this.#settleGone());
    this.#release = [register(this), this.#killAtHostExit()];
    this.deadline = this.#watch();
    this.exited = this.#watchExit();
    child.setRef(false);
  }

  /** Gives the process another owner. The new owner does not get the earlier stderr. */
  setOwner(owner: ProcessOwner): void {
    this.#owner = owner;
    this.#stderr.clear();
  }

  /**
   * Calls `listener` with what `exited` resolves to. The returned function removes the listener.
   */
  onExit(listener: (exit: Exit) => void): () => void {
    this.#exitListeners.add(listener);
    if (this.#exit !== undefined) listener(this.#exit);
    return () => this.#exitListeners.delete(listener);
  }

  /** Keeps the host alive until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1) this.#facts.child.setRef(true);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#facts.child.setRef(false);
    };
  }

  /**
   * Call it when the CLI has answered initialize. It removes the files that the CLI has read by
   * then.
   */
  async initialized(): Promise<void> {
    await this.#facts.folder.removeRead();
  }

  /** Whether the process was asked to end. Its further output may then be dropped. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Whether hawser had to send a signal to end the process. */
  get signalled(): boolean {
    return this.#signalled;
  }

  /** The end of what the process has written to stderr so far. */
  get stderrTail(): string {
    return this.#stderr.text;
  }

  /** End of input → grace → SIGTERM → grace → SIGKILL, then the rest of the tree. */
  close(): Promise<void> {
    this.#closing ??= this.#held(() => this.#closeStepwise());
    return this.#closing;
  }

  /** Sends SIGKILL at once, then kills the rest of the tree. */
  kill(): Promise<void> {
    return this.#held(async () => {
      this.#resumeForEnd();
      await this.#killAndWait();
    });
  }

  #watch(): Deadline | undefined {
    const { owner, marker, renewWithinMs: limitMs } = this.#facts;
    if (this.pid === undefined) return undefined;
    const limit = limitMs === undefined ? undefined : { limitMs, marker };
    const watch = watchProcess(this.pid, owner.log, limit);
    this.#release.push(watch.end);
    if (limitMs === undefined) return undefined;
    const deadline = new Deadline(limitMs, {
      tellWatchdog: watch.renew,
      kill: () => void this.kill(),
    });
    this.#release.push(() => deadline.stop());
    return deadline;
  }

  #killAtHostExit(): () => void {
    const { marker, folder } = this.#facts;
    return killAtHostExit({
      marker: this.pid === undefined ? undefined : marker,
      killRoot: () => this.#killSync(),
      removeFiles: () => folder.removeSync(),
    });
  }

  #killSync(): ProcessEntry[] {
    const { child } = this.#facts;
    this.#record();
    if (child.running) child.signal("SIGKILL");
    return [...this.#tree.values()];
  }

  async #closeStepwise(): Promise<void> {
    const { log } = this.#owner;
    const { graceMs } = this.#facts;
    this.#resumeForEnd();
    await ownTurn();
    this.#record();
    log.debug("closing: end of input", { pid: this.pid });
    this.stdin.end();
    if (!(await this.#goneWithin(graceMs))) {
      log.info("closing: SIGTERM", { pid: this.pid, afterMs: graceMs });
      this.#signal("SIGTERM");
      if (!(await this.#goneWithin(graceMs))) {
        log.warn("closing: SIGKILL", { pid: this.pid, afterMs: graceMs });
        await this.#killAndWait();
      }
    }
    await this.exited;
  }

  /**
   * SIGKILL may fail for a process that now belongs to another user, that waits for a dead disk, or
   * that runs on a machine that cannot be reached.
   */
  async #killAndWait(): Promise<void> {
    this.#signal("SIGKILL");
    if (!(await this.#goneWithin(AFTER_KILL_MS))) {
      this.#owner.log.error("the process outlived SIGKILL", { pid: this.pid });
      this.#settleGone();
    }
    await this.exited;
  }

  /** A paused reader must not block the pipe, and so the exit. */
  #resumeForEnd(): void {
    this.#ending = true;
    this.stdout.resume();
  }

  async #watchExit(): Promise<Exit> {
    const { child, folder } = this.#facts;
    const pipes = [child.stdout, ...(child.stderr === undefined ? [] : [child.stderr])];
    const closed = pipes.map(closeOf);
    await this.#gone;
    // A process of the tree that still runs may hold the pipes open, so the tree is killed first.
    await this.#sweep();
    await Promise.all(pipes.map((pipe, i) => drained(pipe, closed[i])));
    await folder.remove().catch((error: Error) => {
      this.#owner.log.error("the private folder was not removed", { error: error.message });
    });
    for (const release of this.#release) release();
    this.#owner.log.info("exit", {
      pid: this.pid,
      code: child.end.code,
      signal: child.end.signal,
    });
    const exit = { ...child.end, stderrTail: this.#stderr.text };
    this.#exit = exit;
    for (const listener of this.#exitListeners) listener(exit);
    return exit;
  }

  async #sweep(): Promise<void> {
    if (this.pid === undefined) return;
    // Not looked up again: its exit was reported.
    if (!this.#facts.child.running) this.#tree.delete(this.pid);
    const survivors = await sweepTree(this.#tree.values(), this.#facts.marker);
    await ownTurn();
    const { log } = this.#owner;
    for (const { pid } of survivors) log.error("a process outlived SIGKILL", { pid });
  }

  #signal(signal: NodeJS.Signals): void {
    if (!this.#facts.child.running) return;
    this.#signalled = true;
    this.#record();
    this.#facts.child.signal(signal);
  }

  /** Records the tree while the parents run, because an orphan no longer points at its parent. */
  #record(): void {
    if (this.pid === undefined || !this.#facts.child.running) return;
    for (const entry of processTable().tree(this.pid)) this.#tree.set(entry.pid, entry);
  }

  #goneWithin(limitMs: number): Promise<boolean> {
    const gone = this.#gone.then(() => true);
    return withTimeout(gone, limitMs, () => false);
  }

  async #held(work: () => Promise<void>): Promise<void> {
    const release = this.hold();
    try {
      await work();
    } finally {
      release();
    }
  }
}

const AFTER_KILL_MS = 5000;
const SILENCE_MS = 2000;

/**
 * Waits until the pipe of a dead process has given all its bytes. If an unknown process keeps the
 * other end open, the pipe is destroyed after two seconds without data; a reader that has paused
 * gets more time.
 */
async function drained(pipe: Readable, closed: Promise<void> | undefined): Promise<void> {
  let heard = true;
  let bytes = bytesRead(pipe);
  const onData = () => {
    heard = true;
  };
  let timer: NodeJS.Timeout | undefined;
  const givenUp = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (!heard && bytes === bytesRead(pipe) && !pipe.isPaused()) {
        pipe.destroy();
        // A stream of a custom spawn function may not emit `close`.
        setImmediate(resolve);
      }
      heard = false;
      bytes = bytesRead(pipe);
    }, SILENCE_MS);
  });
  timer?.unref();
  if (pipe.readableFlowing !== null) pipe.on("data", onData);
  await Promise.race([closed, givenUp]);
  clearInterval(timer);
  pipe.off("data", onData);
}

/** What a reader takes with `takeBytes` is not emitted. Only sockets count what they have read. */
function bytesRead(pipe: Readable & { readonly bytesRead?: number }): number | undefined {
  return pipe.bytesRead;
}

/**
 * Call it at spawn: `closed` becomes true before `close` is emitted, so a later call misses the
 * event.
 */
function closeOf(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    pipe.once("close", () => resolve());
  });
}
