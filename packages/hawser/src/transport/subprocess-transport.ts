import type { ErrorFacts, Logger, Mask } from "../base/index.js";
import type { Invocation, Options } from "../options/index.js";
import type { CliProcess, Exit } from "../process/index.js";
import { type Frame, type Outbound, type ReceivedFrame, sizeOf } from "../wire/index.js";
import { Inbox } from "./inbox.js";
import { type RunningProcess, SubprocessLine } from "./subprocess-line.js";
import type { CloseOptions, Transport } from "./transport.js";

/**
 * A transport to a CLI process that `connect()` starts. If it is never closed, its process ends
 * when this object is garbage-collected, and at the latest when the program ends.
 */
export class SubprocessTransport implements Transport {
  readonly #line: SubprocessLine;
  readonly #inbox: Inbox<Frame>;

  /**
   * @param running a process that runs already, in place of a process that `connect()` would start
   */
  constructor(options: Options = {}, running?: RunningProcess) {
    this.#line = new SubprocessLine(options, running);
    this.#inbox = openInbox(this.#line);
    abandoned.register(this, this.#line, this.#line);
  }

  connect(): Promise<void> {
    return this.#line.connect();
  }

  get ready(): boolean {
    return this.#line.ready;
  }

  /**
   * Resolves when the connection has ended. Reading this property keeps the program alive until
   * then.
   */
  get exited(): Promise<Exit> {
    return this.#line.exited;
  }

  /** The process id; `undefined` before `connect()`. */
  get pid(): number | undefined {
    return this.#line.pid;
  }

  /** What the CLI was started with. `initialize` is the request that a session must send first. */
  get invocation(): Invocation {
    return this.#line.invocation;
  }

  /** The caller's logger, with the secrets of this process masked. Silent before `connect()`. */
  get log(): Logger {
    return this.#line.log;
  }

  /** Masks the secrets of this process; `undefined` before `connect()`. */
  get mask(): Mask | undefined {
    return this.#line.mask;
  }

  /** What is known for an error about this process: the CLI, its version, its stderr, its exit. */
  get facts(): ErrorFacts {
    return this.#line.facts;
  }

  send(message: Outbound): Promise<void> {
    return this.#line.send(message);
  }

  messages(): AsyncIterable<Frame> {
    return this.#inbox.read(this);
  }

  endInput(): Promise<void> {
    return this.#line.endInput();
  }

  holdWhileReading(hold: boolean): void {
    this.#line.holdWhileReading(hold);
  }

  /**
   * Call it when the CLI has answered initialize. It removes the files that the CLI has read by
   * then.
   */
  initialized(): Promise<void> {
    return this.#line.initialized();
  }

  /**
   * Lets go of the process without ending it, and returns it for another owner. Does nothing and
   * returns `undefined` if a message is under way in either direction, or if the connection is not
   * open.
   */
  detach(): CliProcess | undefined {
    const process = this.#inbox.isEmpty ? this.#line.detach() : undefined;
    if (process !== undefined) abandoned.unregister(this.#line);
    return process;
  }

  async close(options: CloseOptions = {}): Promise<void> {
    await this.#line.close(options);
    abandoned.unregister(this.#line);
  }

  async kill(): Promise<void> {
    await this.#line.kill();
    abandoned.unregister(this.#line);
  }

  /** Calls `close()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The queue of a line. It never points at the transport, which could not be collected otherwise. */
function openInbox(line: SubprocessLine): Inbox<Frame> {
  const inbox = new Inbox<Frame>({
    onWaiting: (waiting) => line.setAwaited(waiting),
    onFull: (full) => line.setPaused(full),
  });
  line.deliverTo({
    onFrames: (frames) => {
      for (const frame of frames) addFrame(inbox, frame);
    },
    onEnd: (error) => inbox.end(error),
  });
  return inbox;
}

function addFrame(inbox: Inbox<Frame>, frame: ReceivedFrame): void {
  if (frame.kind !== "events") {
    inbox.push(frame, sizeOf(frame));
    return;
  }
  const size = Math.ceil(frame.size / frame.events.length);
  for (const message of frame.events) inbox.push({ kind: "message", message, size }, size);
}

const abandoned = new FinalizationRegistry<SubprocessLine>((line) => {
  line.kill();
});
