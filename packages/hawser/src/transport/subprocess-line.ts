import {
  type ErrorFacts,
  HawserError,
  type Logger,
  type Mask,
  SILENT,
  withTimeout,
} from "../base/index.js";
import type { Invocation, Options } from "../options/index.js";
import {
  type CliProcess,
  type Exit,
  exitError,
  exitFacts,
  ownerOf,
  type Prepared,
  prepare,
  spawnCli,
  type VersionDemand,
  verifyVersion,
} from "../process/index.js";
import { encodeLine, type Outbound, type ReceivedFrame } from "../wire/index.js";
import { StdoutReader } from "./stdout-reader.js";
import {
  type CloseOptions,
  type FrameReceiver,
  inputEndedError,
  type Line,
  notConnectedError,
} from "./transport.js";

/** A running process, in place of a process that `connect()` would start. */
export interface RunningProcess {
  readonly process: CliProcess;
  /** What was prepared for the new owner of the process. */
  readonly prepared: Prepared;
}

/**
 * - `idle`: `connect()` was not called.
 * - `connecting`: the process is being prepared or started.
 * - `open`: the process runs.
 * - `exited`: the process ended by itself, or could not be started.
 * - `closed`: the owner of the line has closed, killed or detached it. The process may still be
 * ending.
 */
type LineState = "idle" | "connecting" | "open" | "exited" | "closed";

/**
 * A connection to its own CLI process. Its owner must close it. `SubprocessTransport` wraps it in
 * an outer object whose garbage collection ends a forgotten line, so the line must never point back
 * at that object.
 */
export class SubprocessLine implements Line {
  readonly #options: Options;
  readonly #running: RunningProcess | undefined;
  readonly #versionDemand: VersionDemand;
  readonly #exited: Promise<Exit>;
  readonly #whenClosed: Promise<never>;
  readonly #hostHold = new HostHold();
  #settleExited: (exit: Exit) => void = () => {};
  #rejectWhenClosed: (error: HawserError) => void = () => {};
  #state: LineState = "idle";
  /** Whether `endInput()` was called, in any state. */
  #inputEnded = false;
  /** Whether the CLI has sent a message, so that its exit is not a refusal to start. */
  #hasSpoken = false;
  #connecting: Promise<void> | undefined;
  #prepared: Prepared | undefined;
  #spawning: Promise<CliProcess> | undefined;
  #process: CliProcess | undefined;
  #stdout: StdoutReader | undefined;
  #ignoreExit: () => void = () => {};
  /** Why `connect()` failed. */
  #failure: unknown;
  #receiver: FrameReceiver | undefined;
  /** Whether the receiver cannot keep up. */
  #isPaused = false;
  #exit: Exit | undefined;
  #endError: unknown;

  /** With `unverified`, the owner must call `verifyVersion()` with every version that the CLI reports. */
  constructor(options: Options, running?: RunningProcess, demand: VersionDemand = "asked") {
    this.#options = options;
    this.#running = running;
    this.#versionDemand = demand;
    this.#exited = new Promise((resolve) => {
      this.#settleExited = resolve;
    });
    this.#whenClosed = new Promise((_, reject) => {
      this.#rejectWhenClosed = reject;
    });
    // Only a running connect() listens. Otherwise Node would report an unhandled rejection.
    this.#whenClosed.catch(() => {});
  }

  get ready(): boolean {
    return this.#state === "open" && !this.#inputEnded;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Whether there is or was a process. */
  get wasStarted(): boolean {
    return this.#process !== undefined;
  }

  /**
   * What the CLI was started with; `initialize` is the request that a session has to send first.
   */
  get invocation(): Invocation {
    if (this.#prepared === undefined) throw notConnectedError();
    return this.#prepared.invocation;
  }

  /** The caller's logger, with the secrets of this process masked; silent until connected. */
  get log(): Logger {
    return this.#prepared?.log ?? SILENT;
  }

  /** Hides the secrets of this process; absent until connected. */
  get mask(): Mask | undefined {
    return this.#prepared?.mask;
  }

  /** What an error about this line can say by now: the CLI, its version, its stderr, its exit. */
  get facts(): ErrorFacts {
    const stderrTail = this.#process?.stderrTail;
    return {
      ...this.#prepared?.facts,
      ...(stderrTail ? { stderrTail } : {}),
      ...(this.#exit === undefined ? {} : exitFacts(this.#exit)),
    };
  }

  /**
   * Resolves when the line has ended. Accessing this property keeps the program alive until then.
   */
  get exited(): Promise<Exit> {
    this.#hostHold.exitIsAwaited = this.#exit === undefined;
    this.#updateHold();
    return this.#exited;
  }

  connect(): Promise<void> {
    this.#connecting ??= this.#open().catch((error: unknown) => {
      this.#failure = error;
      if (this.#process === undefined) {
        this.#settleExit(NEVER_STARTED, this.#state === "closed" ? undefined : error);
      }
      throw error;
    });
    return this.#connecting;
  }

  /** `encoded` is the message as a line, if the caller has encoded it already. */
  async send(message: Outbound, encoded?: string): Promise<void> {
    if (!this.ready) throw this.#refusal();
    const line = encoded ?? encodeLine(message);
    this.#prepared?.trace?.("send", line.trimEnd());
    await new Promise<void>((resolve, reject) => {
      this.#process?.stdin.write(line, (error) => {
        if (!error) resolve();
        else this.#whyNotSent(error).then(reject);
      });
    });
  }

  /** The output is read from now on; without a receiver it waits in the pipe. */
  deliverTo(receiver: FrameReceiver): void {
    this.#receiver = receiver;
    if (this.#exit !== undefined) receiver.onEnd(this.#endError);
    else if (this.#process !== undefined) this.#read(this.#process);
  }

  setPaused(paused: boolean): void {
    this.#isPaused = paused;
    this.log.debug(paused ? "reading paused: the reader is behind" : "reading resumed");
    if (!paused) this.#process?.stdout.resume();
    else if (!this.#process?.ending) this.#process?.stdout.pause();
  }

  /** Whether a reader waits for a message, and so keeps the program alive. */
  setAwaited(awaited: boolean): void {
    this.#hostHold.readerWaits = awaited;
    this.#updateHold();
  }

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#process?.stdin.end();
  }

  holdWhileReading(hold: boolean): void {
    this.#hostHold.isWanted = hold;
    this.#updateHold();
  }

  /**
   * Call it when the CLI has answered initialize. It removes the files that the CLI has read by
   * then.
   */
  async initialized(): Promise<void> {
    this.log.debug("ready", { pid: this.pid });
    await this.#process?.initialized();
  }

  /** The deadline of the process, if `renewWithinMs` is set. */
  get deadline(): CliProcess["deadline"] {
    return this.#process?.deadline;
  }

  /**
   * Returns false if the CLI reports another version than it was prepared for. Throws
   * `unsupported_by_cli` if the options need another start for that version.
   */
  verifyVersion(reported: unknown): boolean {
    if (this.#prepared === undefined) return true;
    const verified = verifyVersion(this.#prepared, this.#options, reported);
    const isExpected = verified === this.#prepared;
    this.#prepared = verified;
    return isExpected;
  }

  async close({ first }: CloseOptions = {}): Promise<void> {
    if (first !== undefined && this.ready) {
      // If the message does not arrive, the process is ended without it.
      this.send(first).catch(() => {});
    }
    this.#prepared?.trace?.("close", "close");
    await this.#endProcess((process) => process.close());
  }

  async kill(): Promise<void> {
    this.#prepared?.trace?.("close", "kill");
    await this.#endProcess((process) => process.kill());
  }

  /**
   * Lets go of the process without ending it, and returns it for another owner. Does nothing and
   * returns `undefined` if a message is under way in either direction, or if the line is not open.
   */
  detach(): CliProcess | undefined {
    const process = this.#process;
    const idle = this.ready && process?.stdin.writableLength === 0;
    if (!idle || process === undefined || !this.#stdout?.detach()) return undefined;
    this.#state = "closed";
    this.#ignoreExit();
    this.#prepared?.trace?.("close", "detach");
    this.#settleExit(NEVER_STARTED, undefined);
    return process;
  }

  async #open(): Promise<void> {
    if (this.#state === "closed") throw new HawserError("closed");
    this.#state = "connecting";
    if (this.#running !== undefined) return this.#takeOver(this.#running);
    this.#prepared = await Promise.race([
      prepare(this.#options, this.#versionDemand),
      this.#whenClosed,
    ]);
    // A close() from here on finds the process that is being started, and ends it.
    this.#throwIfClosed();
    this.#spawning = spawnCli(this.#prepared);
    this.#listen(await this.#spawning);
    if (this.#inputEnded) this.#process?.stdin.end();
    this.#throwIfClosed();
  }

  #throwIfClosed(): void {
    if (this.#state === "closed") throw new HawserError("closed");
  }

  #takeOver({ process, prepared }: RunningProcess): void {
    this.#prepared = prepared;
    this.#spawning = Promise.resolve(process);
    process.setOwner(ownerOf(prepared));
    this.#listen(process);
  }

  #listen(process: CliProcess): void {
    this.#process = process;
    if (this.#state === "connecting") this.#state = "open";
    if (this.#receiver !== undefined) this.#read(process);
    this.#updateHold();
    this.#ignoreExit = process.onExit((exit) => this.#settleExit(exit, this.#endingError(exit)));
  }

  #read(process: CliProcess): void {
    const { trace, mask } = this.#prepared ?? {};
    const onLine =
      trace && ((kind: string, text: string) => trace(kind === "noise" ? kind : "receive", text));
    const options = { maxLineBytes: this.#options.maxLineBytes, mask, onLine };
    this.#stdout = new StdoutReader(process.stdout, options, {
      onFrames: (frames) => this.#receive(frames),
      // Without output the process is useless.
      onClose: () => void process.close(),
    });
  }

  #receive(frames: readonly ReceivedFrame[]): void {
    for (const frame of frames) {
      if (frame.kind === "message" || frame.kind === "events") this.#hasSpoken = true;
      else this.log.warn(frame.kind, { line: frame.text });
    }
    // After close() a receiver that is behind misses further messages, because a paused pipe would
    // delay the exit.
    if (this.#state === "closed" && this.#isPaused) return;
    this.#receiver?.onFrames(frames);
  }

  #settleExit(exit: Exit, error: unknown): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    if (this.#state !== "closed") this.#state = "exited";
    this.#prepared?.trace?.("exit", { pid: this.pid, code: exit.code, signal: exit.signal });
    this.#settleExited(exit);
    this.#hostHold.exitIsAwaited = false;
    this.#updateHold();
    this.#endError = error;
    this.#receiver?.onEnd(error);
  }

  #endingError(exit: Exit): HawserError | undefined {
    const { deadline, signalled } = this.#process ?? {};
    if (deadline?.hasPassed) return deadline.error;
    if (this.#state === "closed") return undefined;
    if (signalled) {
      const message = "The CLI closed its output but did not exit, so it was killed.";
      return new HawserError("process_exited", message, this.facts, this.mask);
    }
    return exit.code === 0 ? undefined : this.#exitError(exit);
  }

  #exitError(exit: Exit): HawserError {
    return exitError(exit, this.#hasSpoken, this.#prepared?.facts, this.mask);
  }

  /** Why nothing can be sent, if the line is not ready. */
  #refusal(): unknown {
    if (this.#state === "closed") return new HawserError("closed");
    if (this.#process === undefined) return this.#failure ?? notConnectedError();
    return this.#exit === undefined ? inputEndedError() : this.#exitError(this.#exit);
  }

  /** A broken pipe is the first sign of a death; its cause is known only after the exit. */
  async #whyNotSent(cause: Error): Promise<HawserError> {
    const graceMs = this.#prepared?.graceMs ?? 0;
    const exit =
      this.#state === "closed" || this.#inputEnded
        ? undefined
        : await withTimeout(this.#exited, graceMs, () => undefined);
    if (this.#state === "closed") return new HawserError("closed", undefined, { cause });
    if (this.#inputEnded) return inputEndedError({ cause });
    if (exit !== undefined) return this.#exitError(exit);
    return new HawserError("closed", "The CLI no longer reads its input.", { cause });
  }

  async #endProcess(end: (process: CliProcess) => Promise<void>): Promise<void> {
    // Only #open() waits for the rejection, and an error is expensive to make.
    if (this.#process === undefined) this.#rejectWhenClosed(new HawserError("closed"));
    this.#state = "closed";
    // connect() reports a start that failed.
    const process = await this.#spawning?.catch(() => undefined);
    if (process === undefined) this.#settleExit(NEVER_STARTED, undefined);
    else await end(process);
    await this.#exited;
  }

  #updateHold(): void {
    this.#hostHold.update(this.#process);
  }
}

/** Keeps the program alive while a reader waits for a message, or a caller waits for the exit. */
class HostHold {
  /** False for a reader that reads all the time and so must not keep the program alive. */
  isWanted = true;
  readerWaits = false;
  exitIsAwaited = false;
  #release: (() => void) | undefined;

  update(process: CliProcess | undefined): void {
    if (this.isWanted && (this.readerWaits || this.exitIsAwaited))
      this.#release ??= process?.hold();
    else {
      this.#release?.();
      this.#release = undefined;
    }
  }
}

const NEVER_STARTED: Exit = { code: null, signal: null, stderrTail: "" };
