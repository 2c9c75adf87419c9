import { HawserError } from "../base/index.js";
import { type Exit, exitError } from "../process/index.js";
import { decodeLine, encodeLine, type Frame, type Outbound } from "../wire/index.js";
import { Inbox } from "./inbox.js";
import {
  type CloseOptions,
  inputEndedError,
  notConnectedError,
  type Transport,
} from "./transport.js";

/**
 * A line inside one program: two linked ends, each a transport. What one end sends, the other one
 * reads, through the same encoding as over a pipe. When one end closes or dies, the line is over.
 */
export class MemoryTransport implements Transport {
  /** Two ends of one line: what one sends, the other reads. */
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
  #connected = false;
  #inputEnded = false;
  #closed = false;
  #exit: Exit | undefined;

  private constructor() {
    this.exited = new Promise((resolve) => {
      this.#settleExited = resolve;
    });
  }

  async connect(): Promise<void> {
    if (this.#closed) throw new HawserError("closed");
    this.#connected = true;
  }

  get ready(): boolean {
    return this.#refusal() === undefined;
  }

  async send(message: Outbound): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal;
    this.#peer.receive(encodeLine(message).trimEnd());
  }

  /** One line, as it would come over the pipe: also for noise and for broken lines. */
  receive(line: string): void {
    this.#inbox.push(decodeLine(line), line.length);
  }

  messages(): AsyncIterable<Frame> {
    return this.#inbox.read(this);
  }

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#peer.#inbox.end();
  }

  /** Nothing here keeps a program alive. */
  holdWhileReading(): void {}

  async close({ first }: CloseOptions = {}): Promise<void> {
    if (first !== undefined && this.ready) await this.send(first);
    this.#closed = true;
    this.exit();
  }

  async kill(): Promise<void> {
    this.#closed = true;
    this.exit();
  }

  /** Ends the line from this side, as a process does that exits; the other end learns how. */
  exit(how: Partial<Exit> = {}): void {
    const exit: Exit = { code: 0, signal: null, stderrTail: "", ...how };
    this.#over(exit);
    this.#peer.#over(exit);
  }

  #over(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#settleExited(exit);
    const clean = this.#closed || exit.code === 0;
    this.#inbox.end(clean ? undefined : exitError(exit, true));
  }

  #refusal(): HawserError | undefined {
    if (this.#closed) return new HawserError("closed");
    if (!this.#connected) return notConnectedError();
    if (this.#inputEnded) return inputEndedError();
    return this.#exit === undefined ? undefined : exitError(this.#exit, true);
  }
}
