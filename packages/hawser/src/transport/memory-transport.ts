import { HawserError } from "../base/index.js";
import { type Exit, exitError } from "../process/index.js";
import { decodeLine, encodeLine, type Frame, type Outbound } from "../wire/index.js";
import { Inbox, type InboxReader } from "./inbox.js";
import {
  type CloseOptions,
  type FrameReceiver,
  inputEndedError,
  type Line,
  notConnectedError,
  type Transport,
} from "./transport.js";

/**
 * A transport inside one program, for tests: two linked ends, each of which reads what the other
 * end sends, through the same encoding as over a pipe. When one end closes or dies, the connection
 * has ended.
 *
 * @example
 * ```ts
 * const [host, cli] = MemoryTransport.pair();
 * ```
 */
export class MemoryTransport implements Transport, Line {
  /** Returns the two ends of a new connection. */
  static pair(): [MemoryTransport, MemoryTransport] {
    const [here, there] = [new MemoryTransport(), new MemoryTransport()];
    here.#peer = there;
    there.#peer = here;
    return [here, there];
  }

  readonly exited: Promise<Exit>;
  readonly #inbox = new Inbox<Frame>();
  #peer: MemoryTransport = this;
  #settleExited: (exit: Exit) => void = () => {};
  #state: "idle" | "open" | "closed" = "idle";
  #inputEnded = false;
  #exit: Exit | undefined;

  private constructor() {
    this.exited = new Promise((resolve) => {
      this.#settleExited = resolve;
    });
  }

  async connect(): Promise<void> {
    if (this.#state === "closed") throw new HawserError("closed");
    this.#state = "open";
  }

  get ready(): boolean {
    return this.#refusal() === undefined;
  }

  async send(message: Outbound): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    this.#peer.receive(encodeLine(message).trimEnd());
  }

  /** Receives one line as if it came over a pipe. The line may also be noise or broken. */
  receive(line: string): void {
    this.#inbox.push(decodeLine(line), line.length);
  }

  messages(): AsyncIterable<Frame> {
    return this.#inbox.read(this);
  }

  /** Reads the messages for a receiver, in place of `messages()`. */
  deliverTo(receiver: FrameReceiver): void {
    void deliver(this.#inbox.read(this), receiver);
  }

  /** Nothing has to be held back here, because the peer is in the same memory. */
  setPaused(): void {}

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#peer.#inbox.end();
  }

  /** Nothing here keeps a program alive. */
  holdWhileReading(): void {}

  async close({ first }: CloseOptions = {}): Promise<void> {
    if (first !== undefined && this.ready) await this.send(first);
    this.#state = "closed";
    this.exit();
  }

  async kill(): Promise<void> {
    this.#state = "closed";
    this.exit();
  }

  /** Ends the line from this side, as a process does that exits; the other end learns how. */
  exit(how: Partial<Exit> = {}): void {
    const exit: Exit = { code: 0, signal: null, stderrTail: "", ...how };
    this.#settleExit(exit);
    this.#peer.#settleExit(exit);
  }

  #settleExit(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#settleExited(exit);
    const clean = this.#state === "closed" || exit.code === 0;
    this.#inbox.end(clean ? undefined : exitError(exit, true));
  }

  #refusal(): HawserError | undefined {
    if (this.#state === "closed") return new HawserError("closed");
    if (this.#state === "idle") return notConnectedError();
    if (this.#inputEnded) return inputEndedError();
    return this.#exit === undefined ? undefined : exitError(this.#exit, true);
  }
}

async function deliver(frames: InboxReader<Frame>, receiver: FrameReceiver): Promise<void> {
  let why: unknown;
  try {
    for await (const first of frames) {
      const together = [first];
      for (let next = frames.poll(); next !== undefined; next = frames.poll()) together.push(next);
      receiver.onFrames(together);
    }
  } catch (error) {
    why = error;
  }
  receiver.onEnd(why);
}
