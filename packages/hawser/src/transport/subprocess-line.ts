import { type ErrorFacts, HawserError, type Logger, type Mask, SILENT } from "../base/index.js";
import type { Invocation, Options } from "../options/index.js";
import {
  type CliProcess,
  type Exit,
  employerOf,
  exitError,
  exitFacts,
  type Prepared,
  prepare,
  spawnCli,
} from "../process/index.js";
import {
  decodeLine,
  encodeLine,
  type Frame,
  type FramedLine,
  type Outbound,
} from "../wire/index.js";
import { Ear } from "./ear.js";
import { Inbox, type InboxReader } from "./inbox.js";
import { inputEnded, notConnected } from "./refusals.js";
import type { Running } from "./running.js";
import type { CloseOptions } from "./transport.js";
import { within } from "./within.js";

/**
 * What is behind a `SubprocessTransport`. It must never point back at it: that the outer object can
 * be garbage-collected is how a forgotten line is noticed.
 */
export class SubprocessLine {
  readonly #options: Options;
  readonly #running: Running | undefined;
  readonly #inbox: Inbox<Frame>;
  readonly #exited: Promise<Exit>;
  readonly #whenClosed: Promise<never>;
  #settleExited: (exit: Exit) => void = () => {};
  #rejectWhenClosed: (error: HawserError) => void = () => {};
  #connecting: Promise<void> | undefined;
  #prepared: Prepared | undefined;
  #spawning: Promise<CliProcess> | undefined;
  #process: CliProcess | undefined;
  #ear: Ear | undefined;
  #forgetProcess: () => void = () => {};
  #failure: unknown;
  #exit: Exit | undefined;
  #inputEnded = false;
  #closed = false;
  #heard = false;
  #full = false;
  #readerWaits = false;
  #exitIsAwaited = false;
  #holdsWhileReading = true;
  #release: (() => void) | undefined;

  constructor(options: Options, running?: Running) {
    this.#options = options;
    this.#running = running;
    this.#exited = new Promise((resolve) => {
      this.#settleExited = resolve;
    });
    this.#whenClosed = new Promise((_, reject) => {
      this.#rejectWhenClosed = reject;
    });
    // Heard only by a connect that is under way.
    this.#whenClosed.catch(() => {});
    this.#inbox = new Inbox({
      onWaiting: (waiting) => {
        this.#readerWaits = waiting;
        this.#hold();
      },
      onFull: (full) => this.#pause(full),
    });
  }

  get ready(): boolean {
    if (this.#closed || this.#inputEnded) return false;
    return this.#process !== undefined && this.#exit === undefined;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get invocation(): Invocation | undefined {
    return this.#prepared?.invocation;
  }

  get log(): Logger {
    return this.#prepared?.log ?? SILENT;
  }

  get mask(): Mask | undefined {
    return this.#prepared?.mask;
  }

  /** What every error about this line can say, as far as it is known by now. */
  get facts(): ErrorFacts {
    const stderrTail = this.#process?.stderrTail;
    return {
      ...this.#prepared?.facts,
      ...(stderrTail ? { stderrTail } : {}),
      ...(this.#exit === undefined ? {} : exitFacts(this.#exit)),
    };
  }

  connect(): Promise<void> {
    this.#connecting ??= this.#open().catch((error: unknown) => {
      this.#failure = error;
      if (this.#process === undefined) this.#ended(NEVER_STARTED, this.#closed ? undefined : error);
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

  read(owner: object): InboxReader<Frame> {
    return this.#inbox.read(owner);
  }

  messages(): InboxReader<Frame> {
    return this.#inbox.read(this);
  }

  get exited(): Promise<Exit> {
    return this.waitForExit();
  }

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#process?.stdin.end();
  }

  holdWhileReading(hold: boolean): void {
    this.#holdsWhileReading = hold;
    this.#hold();
  }

  async initialized(): Promise<void> {
    this.log.debug("ready", { pid: this.pid });
    await this.#process?.initialized();
  }

  async close({ first }: CloseOptions = {}): Promise<void> {
    if (first !== undefined && this.ready) {
      // Should it not arrive, the ladder does without it.
      this.send(first).catch(() => {});
    }
    this.#prepared?.trace?.("close", "close");
    await this.#stop((process) => process.terminate());
  }

  async kill(): Promise<void> {
    this.#prepared?.trace?.("close", "kill");
    await this.#stop((process) => process.kill());
  }

  /**
   * Ends the line, but not its process, for one who goes on with it. Undefined, and nothing is done,
   * if something is under way on it in either direction, or it is over.
   */
  detach(): CliProcess | undefined {
    const process = this.#process;
    const idle = this.ready && this.#inbox.bytes === 0 && process?.stdin.writableLength === 0;
    if (!idle || process === undefined || !this.#ear?.letGo()) return undefined;
    this.#closed = true;
    this.#forgetProcess();
    this.#prepared?.trace?.("close", "detach");
    this.#ended(NEVER_STARTED, undefined);
    return process;
  }

  /**
   * Keeps the program alive until the process has ended, for one who waits for nothing else; not
   * where a reader does not either.
   */
  waitForExit(): Promise<Exit> {
    this.#exitIsAwaited = true;
    this.#hold();
    return this.#exited;
  }

  async #open(): Promise<void> {
    if (this.#closed) throw new HawserError("closed");
    if (this.#running !== undefined) return this.#takeOver(this.#running);
    this.#prepared = await Promise.race([prepare(this.#options), this.#whenClosed]);
    // Who closes from now on finds the process that is being started, and ends it.
    if (this.#closed) throw new HawserError("closed");
    this.#spawning = spawnCli(this.#prepared);
    this.#process = await this.#spawning;
    this.#listen(this.#process);
    if (this.#inputEnded) this.#process.stdin.end();
    if (this.#closed) throw new HawserError("closed");
  }

  #takeOver({ process, prepared }: Running): void {
    this.#prepared = prepared;
    this.#process = process;
    this.#spawning = Promise.resolve(process);
    process.workFor(employerOf(prepared));
    this.#listen(process);
  }

  #listen(process: CliProcess): void {
    this.#ear = new Ear(process.stdout, this.#options.maxLineBytes, {
      onLine: (line) => this.#receive(line),
      // Nothing more can be heard, so there is nothing left to wait for.
      onClose: () => void process.terminate(),
    });
    this.#hold();
    this.#forgetProcess = process.onExit((exit) => this.#ended(exit, this.#endingError(exit)));
  }

  #receive(line: FramedLine): void {
    const frame = decodeLine(line, false, this.#prepared?.mask);
    const text = typeof line === "string" ? line : textOf(line);
    this.#prepared?.trace?.(frame.kind === "noise" ? "noise" : "receive", text);
    if (frame.kind === "message") this.#heard = true;
    else this.log.warn(frame.kind, { line: text });
    // Of a line that its owner has closed, a reader who is far behind misses the rest.
    if (this.#full && this.#closed) return;
    this.#inbox.push(frame, text.length);
  }

  #ended(exit: Exit, error: unknown): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#prepared?.trace?.("exit", { pid: this.pid, code: exit.code, signal: exit.signal });
    this.#settleExited(exit);
    this.#exitIsAwaited = false;
    this.#hold();
    this.#inbox.end(error);
  }

  #endingError(exit: Exit): HawserError | undefined {
    if (this.#closed) return undefined;
    if (this.#process?.signalled) {
      const message = "The CLI closed its output but did not exit, and was ended.";
      return new HawserError("process_exited", message, this.facts, this.mask);
    }
    return exit.code === 0 ? undefined : this.#exitError(exit);
  }

  #exitError(exit: Exit): HawserError {
    return exitError(exit, this.#heard, this.#prepared?.facts, this.mask);
  }

  /** Why nothing can be sent, if the line is not ready. */
  #refusal(): unknown {
    if (this.#closed) return new HawserError("closed");
    if (this.#process === undefined) return this.#failure ?? notConnected();
    return this.#exit === undefined ? inputEnded() : this.#exitError(this.#exit);
  }

  /** A broken pipe is the first sign of a death, whose cause is known only when it is over. */
  async #whyNotSent(cause: Error): Promise<HawserError> {
    const graceMs = this.#prepared?.graceMs ?? 0;
    const exit = this.#closed || this.#inputEnded ? undefined : await within(this.#exited, graceMs);
    if (this.#closed) return new HawserError("closed", undefined, { cause });
    if (this.#inputEnded) return inputEnded({ cause });
    if (exit !== undefined) return this.#exitError(exit);
    return new HawserError("closed", "The CLI no longer reads its input.", { cause });
  }

  async #stop(end: (process: CliProcess) => Promise<void>): Promise<void> {
    this.#closed = true;
    this.#rejectWhenClosed(new HawserError("closed"));
    // A start that fails has been reported to the one who connects.
    const process = await this.#spawning?.catch(() => undefined);
    if (process === undefined) this.#ended(NEVER_STARTED, undefined);
    else await end(process);
    await this.#exited;
  }

  #hold(): void {
    const awaited = this.#readerWaits || this.#exitIsAwaited;
    if (awaited && this.#holdsWhileReading) this.#release ??= this.#process?.hold();
    else {
      this.#release?.();
      this.#release = undefined;
    }
  }

  #pause(full: boolean): void {
    this.#full = full;
    this.log.debug(full ? "reading paused: the reader is behind" : "reading resumed");
    if (!full) this.#process?.stdout.resume();
    else if (!this.#process?.ending) this.#process?.stdout.pause();
  }
}

function textOf(line: Exclude<FramedLine, string>): string {
  return line.kind === "broken" ? line.text : `[a line of ${line.bytes} bytes]`;
}

const NEVER_STARTED: Exit = { code: null, signal: null, stderrTail: "" };
