import { randomUUID } from "node:crypto";
import { HawserError, isHawserError, type Logger, textOf } from "../base/index.js";
import type { RequestOptions } from "../options/index.js";
import type { Transport } from "../transport/index.js";
import {
  controlRequest,
  type Frame,
  type HostRequest,
  isMessage,
  type Message,
  type Outbound,
} from "../wire/index.js";
import { IncomingRequests, type RequestHandler } from "./incoming-requests.js";
import { OutgoingRequests } from "./outgoing-requests.js";
import { ReadBudget } from "./read-budget.js";

export interface ControlEvents {
  /** Every line that is no control frame; must not wait for anything. */
  readonly onMessage: (message: Message, size: number) => void;
  /** A message was lost; the next ones are not affected. */
  readonly onCorrupt: (error: HawserError) => void;
  /** Told once, last. The error says why the line ended, unless it ended in good order. */
  readonly onEnd: (error: unknown) => void;
}

/**
 * Both sides' requests and answers over one line, and everything else handed on. Reading never
 * waits for a handler, and every wait for an answer ends when the line does.
 */
export class ControlLine {
  readonly #transport: Transport;
  readonly #events: ControlEvents;
  readonly #log: Logger;
  readonly #outgoing = new OutgoingRequests();
  readonly #incoming: IncomingRequests;
  readonly #turn = new ReadBudget();
  #requestsAfterEnd = 0;
  #holders = 0;
  #gate: { readonly opened: Promise<void>; readonly open: () => void } | undefined;
  #exited = false;
  /** The last message, if the output ended in the middle of it. */
  #cut: HawserError | undefined;
  /** Why the line was ended from here, if it was. */
  #givenUp: HawserError | undefined;
  #ended: { readonly error: unknown } | undefined;

  constructor(transport: Transport, handler: RequestHandler, events: ControlEvents, log: Logger) {
    this.#transport = transport;
    this.#events = events;
    this.#log = log;
    this.#incoming = new IncomingRequests(handler, (answer) => this.#answer(answer), log);
  }

  /** Begins to read the connected transport, and goes on to its end. */
  start(): void {
    this.#transport.holdWhileReading(this.#holders > 0);
    // A death stands behind all that was said before it, where a paused reader would not find it.
    void this.#transport.exited.then(() => {
      this.#exited = true;
      this.#incoming.stopWaiting();
      this.resume();
    });
    void this.#read();
  }

  send(message: Outbound): Promise<void> {
    return this.#transport.send(message);
  }

  /** The payload of the answer. Keeps the program alive until it has come, unless told not to. */
  async request(request: HostRequest, options: RequestOptions = {}): Promise<unknown> {
    if (this.#ended !== undefined) throw unanswered(request.subtype, this.#ended.error);
    const id = randomUUID();
    const release = options.holds === false ? () => {} : this.hold();
    const answer = this.#outgoing.wait(id, request.subtype, options);
    if (!options.signal?.aborted) {
      this.#transport
        .send(controlRequest(id, request))
        .catch((error: unknown) => this.#outgoing.reject(id, error));
    }
    return answer.finally(release);
  }

  /** Whether nobody owes anybody an answer. */
  get isQuiet(): boolean {
    return this.#outgoing.size === 0 && this.#incoming.size === 0;
  }

  /** Keeps the program alive until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1) this.#transport.holdWhileReading(true);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#transport.holdWhileReading(false);
    };
  }

  /** Stops reading after the current line, for one who can take no more; not once the peer is gone. */
  pause(): void {
    if (this.#gate !== undefined || this.#exited) return;
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#gate = { opened, open };
  }

  resume(): void {
    this.#gate?.open();
    this.#gate = undefined;
  }

  /** A CLI that asks, but lives on without reading its input, would wait for the answer for ever. */
  async #answer(answer: Outbound): Promise<void> {
    try {
      await this.#transport.send(answer);
    } catch (error) {
      if (isHawserError(error, "closed") && this.#transport.ready) {
        this.#givenUp ??= new HawserError("process_exited", UNREAD, { cause: error });
        void this.#transport.kill();
      }
      throw error;
    }
  }

  async #read(): Promise<void> {
    let why: unknown;
    try {
      const frames = this.#transport.messages();
      for await (const first of frames) {
        this.#turn.resume();
        // What came along with it needs no waiting.
        for (let frame: Frame | undefined = first; frame !== undefined; frame = frames.poll?.()) {
          this.#take(frame);
          if (this.#gate !== undefined) await this.#gate.opened;
          if (this.#turn.isSpent()) await this.#turn.renew();
          const behind = this.#incoming.caughtUp();
          if (behind !== undefined) await behind;
        }
      }
    } catch (error) {
      why = error;
    }
    why ??= this.#givenUp;
    // What killed the CLI in mid-word is why it is lost; a CLI that leaves so by itself has no other.
    if (why === undefined && this.#cut !== undefined) this.#events.onCorrupt(this.#cut);
    this.#ended = { error: why };
    this.#incoming.close();
    this.#outgoing.rejectAll((subtype) => unanswered(subtype, why));
    this.#events.onEnd(why);
  }

  /** One message that cannot be dealt with is lost like a broken line; the reading goes on. */
  #take(frame: Frame): void {
    try {
      this.#receive(frame);
    } catch (cause) {
      const message = `A message has a shape that was not expected: ${textOf(cause)}`;
      this.#log.error("a message was lost", { error: textOf(cause) });
      this.#events.onCorrupt(new HawserError("protocol_error", message, { cause }));
    }
  }

  /**
   * When nothing can be sent any more, the last requests still reach their callbacks, such as the hook
   * SessionEnd. A flood of them does not: it would hold up the end of the line.
   */
  #isFloodAfterEnd(): boolean {
    if (this.#transport.ready) return false;
    this.#requestsAfterEnd += 1;
    return this.#requestsAfterEnd > MOST_AFTER_END;
  }

  #receive(frame: Frame): void {
    if (frame.kind === "corrupt") {
      if (frame.isCut) this.#cut = frame.error;
      else this.#events.onCorrupt(frame.error);
    }
    if (frame.kind !== "message") return;
    const { message, size } = frame;
    if (isMessage(message, "stream_event")) this.#events.onMessage(message, size);
    else if (isMessage(message, "control_request")) {
      if (!this.#isFloodAfterEnd()) this.#incoming.receive(message);
    } else if (isMessage(message, "control_cancel_request")) {
      this.#incoming.cancel(message.request_id);
    } else if (!isMessage(message, "control_response")) this.#events.onMessage(message, size);
    else if (!this.#outgoing.settle(message)) {
      this.#log.debug("an answer that nobody waits for", { id: message.response?.request_id });
    }
  }
}

const MOST_AFTER_END = 1000;

const UNREAD = "The CLI asked, but closed its input before the answer, and was ended.";

function unanswered(subtype: string, why: unknown): HawserError {
  if (isHawserError(why)) return why;
  return new HawserError("closed", `The line ended before the answer to ${subtype} came.`, {
    ...(why === undefined ? {} : { cause: why }),
  });
}
