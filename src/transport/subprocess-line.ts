import { HawserError, type Logger, SILENT } from "../errors/index.js";
import type { Invocation, Options } from "../options/index.js";
import {
  type CliProcess,
  type Exit,
  exitError,
  type Prepared,
  prepare,
  spawnCli,
} from "../process/index.js";
import {
  decodeLine,
  encodeLine,
  type Frame,
  type FramedLine,
  LineFramer,
  type Outbound,
} from "../wire/index.js";
import { Inbox } from "./inbox.js";
import { inputEnded, notConnected } from "./refusals.js";
import type { CloseOptions } from "./transport.js";

/**
 * What is behind a `SubprocessTransport`. It must never point back at it: that the outer object can
 * be garbage-collected is how a forgotten line is noticed.
 */
export class SubprocessLine {
  readonly exited: Promise<Exit>;
  readonly #options: Options;
  readonly #inbox: Inbox<Frame>;
  #settleExited: (exit: Exit) => void = () => {};
  #connecting: Promise<void> | undefined;
  #prepared: Prepared | undefined;
  #process: CliProcess | undefined;
  #exit: Exit | undefined;
  #inputEnded = false;
  #closed = false;
  #readerWaits = false;
  #full = false;
  #release: (() => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.exited = new Promise((resolve) => {
      this.#settleExited = resolve;
    });
    this.#inbox = new Inbox({
      onWaiting: (waiting) => this.#hold(waiting),
      onFull: (full) => this.#pause(full),
    });
  }

  get ready(): boolean {
    return this.#process !== undefined && this.#refusal() === undefined;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get cliVersion(): string | undefined {
    return this.#prepared?.version?.join(".");
  }

  get log(): Logger {
    return this.#prepared?.log ?? SILENT;
  }

  get invocation(): Invocation | undefined {
    return this.#prepared?.invocation;
  }

  connect(): Promise<void> {
    this.#connecting ??= this.#open().catch((error: unknown) => {
      this.#ended(NEVER_STARTED, error);
      throw error;
    });
    return this.#connecting;
  }

  async send(message: Outbound): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    const line = encodeLine(message);
    this.#prepared?.trace?.("send", line.trimEnd());
    await new Promise<void>((resolve, reject) => {
      this.#process?.stdin.write(line, (error) => {
        if (!error) resolve();
        else this.#whyNotSent(error).then(reject);
      });
    });
  }

  read(owner: object): AsyncIterableIterator<Frame> {
    return this.#inbox.read(owner);
  }

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#process?.stdin.end();
  }

  async initialized(): Promise<void> {
    this.log.debug("ready", { pid: this.pid });
    await this.#process?.initialized();
  }

  async close({ first }: CloseOptions): Promise<void> {
    if (first !== undefined && this.ready) {
      // Should it not arrive, the ladder does without it.
      this.send(first).catch(() => {});
    }
    await this.#stop((process) => process.terminate());
  }

  async kill(): Promise<void> {
    await this.#stop((process) => process.kill());
  }

  async #open(): Promise<void> {
    const prepared = await prepare(this.#options);
    this.#prepared = prepared;
    if (this.#closed) throw new HawserError("closed");
    const process = await spawnCli(prepared);
    this.#process = process;
    this.#listen(process);
    if (this.#inputEnded) process.stdin.end();
    if (this.#closed) {
      await process.kill();
      throw new HawserError("closed");
    }
  }

  #listen(process: CliProcess): void {
    const { maxLineBytes } = this.#options;
    const framer = new LineFramer(maxLineBytes === undefined ? {} : { maxLineBytes });
    process.stdout.on("data", (chunk: Buffer) => {
      for (const line of framer.push(chunk)) this.#receive(line);
    });
    process.stdout.once("close", () => {
      for (const line of framer.end()) this.#receive(line);
      // Nothing more can be heard, so there is nothing left to wait for.
      process.terminate();
    });
    this.#hold(this.#readerWaits);
    process.exited.then((exit) => this.#ended(exit, this.#endingError(exit)));
  }

  #receive(line: FramedLine): void {
    const frame = decodeLine(line, false, this.#prepared?.mask);
    const text = textOf(line);
    this.#prepared?.trace?.(frame.kind === "noise" ? "noise" : "receive", text);
    if (frame.kind !== "message") this.log.warn(frame.kind, { line: text });
    // Of a line that is being ended, a reader who is far behind misses the rest.
    if (this.#full && this.#process?.ending) return;
    this.#inbox.push(frame, text.length);
  }

  #ended(exit: Exit, error: unknown): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#prepared?.trace?.("exit", { pid: this.pid, code: exit.code, signal: exit.signal });
    this.#settleExited(exit);
    this.#inbox.end(error);
  }

  #endingError(exit: Exit): HawserError | undefined {
    if (this.#closed || exit.code === 0) return undefined;
    return this.#exitError(exit);
  }

  #exitError(exit: Exit): HawserError {
    const prepared = this.#prepared as Prepared;
    return exitError(exit, prepared.facts, prepared.mask);
  }

  #refusal(): HawserError | undefined {
    if (this.#closed) return new HawserError("closed");
    if (this.#process === undefined) return notConnected();
    if (this.#inputEnded) return inputEnded();
    return this.#exit === undefined ? undefined : this.#exitError(this.#exit);
  }

  /** A broken pipe is the first sign of a death; its cause is known only when that is over. */
  async #whyNotSent(cause: Error): Promise<HawserError> {
    if (this.#closed) return new HawserError("closed", undefined, { cause });
    if (this.#inputEnded) return inputEnded({ cause });
    this.#process?.terminate();
    return this.#exitError(await this.exited);
  }

  async #stop(end: (process: CliProcess) => Promise<void>): Promise<void> {
    this.#closed = true;
    if (this.#connecting === undefined) this.#ended(NEVER_STARTED, undefined);
    // A failed connect has been reported to the one who called it.
    await this.#connecting?.catch(() => {});
    if (this.#process !== undefined) await end(this.#process);
    await this.exited;
  }

  #hold(waiting: boolean): void {
    this.#readerWaits = waiting;
    if (waiting) this.#release ??= this.#process?.hold();
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

function textOf(line: FramedLine): string {
  if (typeof line === "string") return line;
  return line.kind === "broken" ? line.text : `[a line of ${line.bytes} bytes]`;
}

const NEVER_STARTED: Exit = { code: null, signal: null, stderrTail: "" };
