import { randomUUID } from "node:crypto";
import { HawserError, isHawserError, type Logger, textOf } from "../base/index.js";
import type { RequestOptions } from "../options/index.js";
import { type FrameReceiver, Inbox, type Line } from "../transport/index.js";
import {
  controlRequest,
  type HostRequest,
  isMessage,
  type Message,
  type Outbound,
  type ReceivedFrame,
  type StreamEvent,
  sizeOf,
} from "../wire/index.js";
import { IncomingRequests, type RequestHandler } from "./incoming-requests.js";
import { OutgoingRequests } from "./outgoing-requests.js";
import { ReadBudget } from "./read-budget.js";

/**
 * The owner of a control line (`CliConnection`). It gets every message that is no request or
 * answer.
 */
export interface ControlListener {
  /**
   * Called with every message that is neither a control message nor a stream event. It must not wait
   * for anything.
   */
  onMessage(message: Message, size: number): void;
  /** Called with stream events that arrived together, in their order; `size` is that of all. */
  onEvents(events: readonly StreamEvent[], size: number): void;
  /** A message was lost; the next ones are not affected. */
  onCorrupt(error: HawserError): void;
  /** Called once, last. The error says why the line ended; it is undefined after a regular end. */
  onEnd(error: unknown): void;
}

/**
 * Correlates the requests and answers of both sides over one line, and hands every other message to
 * the listener, at once. Reading never waits for a handler, and every wait for an answer ends when
 * the line does.
 */
export class ControlLine implements FrameReceiver {
  readonly #transport: Line;
  readonly #listener: ControlListener;
  readonly #log: Logger;
  readonly #outgoing = new OutgoingRequests();
  readonly #incoming: IncomingRequests;
  readonly #budget = new ReadBudget();
  #requestsAfterEnd = 0;
  #holders = 0;
  /** The frames that arrived while nothing was handled. */
  readonly #backlog: Inbox<ReceivedFrame>;
  #isHandling = false;
  /** Whether the listener wants no more messages. */
  #isPaused = false;
  /** Whether the event loop has to turn, or answers have to be sent, before the next frame. */
  #isResting = false;
  #exited = false;
  #transportEnd: { readonly error: unknown } | undefined;
  /** The error about the last message, if the output ended in the middle of it. */
  #cut: HawserError | undefined;
  /** Why this side killed the peer, if it did. */
  #killedFor: HawserError | undefined;
  #ended: { readonly error: unknown } | undefined;

  constructor(transport: Line, handler: RequestHandler, listener: ControlListener, log: Logger) {
    this.#transport = transport;
    this.#listener = listener;
    this.#log = log;
    this.#incoming = new IncomingRequests(handler, (answer) => this.#answer(answer), log);
    this.#backlog = new Inbox({ onFull: (full) => transport.setPaused(full) });
  }

  /** Begins to read the connected line, and goes on to its end. */
  start(): void {
    this.#transport.holdWhileReading(this.#holders > 0);
    // A paused line would never reach the end of the messages, so the exit resumes it.
    void this.#transport.exited.then(() => {
      this.#exited = true;
      this.#incoming.stopWaiting();
      this.resume();
    });
    this.#transport.deliverTo(this);
  }

  /** `encoded` is the message as a line, if the caller has encoded it already. */
  send(message: Outbound, encoded?: string): Promise<void> {
    return this.#transport.send(message, encoded);
  }

  /**
   * Returns the payload of the answer. Keeps the program alive meanwhile, unless `holds` is false.
   */
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

  /**
   * Handles no more messages after the current one, for a slow listener. It has no effect once the
   * peer is gone.
   */
  pause(): void {
    this.#isPaused = !this.#exited;
  }

  resume(): void {
    this.#isPaused = false;
    this.#handleBacklog();
  }

  /** Whether every message that has arrived was handled, and no request waits for its answer. */
  get isQuiet(): boolean {
    const isAnswered = this.#outgoing.size === 0 && this.#incoming.size === 0;
    return isAnswered && this.#backlog.isEmpty;
  }

  onFrames(frames: readonly ReceivedFrame[]): void {
    this.#budget.resume();
    for (const frame of frames) {
      if (this.#mayHandle && this.#backlog.isEmpty) this.#handle(frame);
      else this.#backlog.push(frame, sizeOf(frame));
    }
    if (!this.#backlog.isEmpty || this.#transportEnd !== undefined) this.#handleBacklog();
  }

  onEnd(error: unknown): void {
    this.#transportEnd = { error };
    this.#handleBacklog();
  }

  /**
   * Sends an answer. A CLI that has closed its input but still runs would wait for the answer for
   * ever, so it is killed.
   */
  async #answer(answer: Outbound): Promise<void> {
    try {
      await this.#transport.send(answer);
    } catch (error) {
      if (isHawserError(error, "closed") && this.#transport.ready) {
        this.#killedFor ??= new HawserError("process_exited", UNREAD, { cause: error });
        void this.#transport.kill();
      }
      throw error;
    }
  }

  get #mayHandle(): boolean {
    const isBusy = this.#isPaused || this.#isResting || this.#isHandling;
    return !isBusy && this.#ended === undefined;
  }

  #handleBacklog(): void {
    while (this.#mayHandle) {
      const frame = this.#backlog.poll();
      if (frame === undefined) break;
      this.#handle(frame);
    }
    if (this.#mayHandle && this.#transportEnd !== undefined) this.#end(this.#transportEnd.error);
  }

  #handle(frame: ReceivedFrame): void {
    this.#isHandling = true;
    try {
      this.#receive(frame);
    } catch (error) {
      this.#lose(error);
    }
    this.#isHandling = false;
    const rest = this.#budget.isSpent() ? this.#budget.renew() : this.#incoming.caughtUp();
    if (rest !== undefined) this.#restUntil(rest);
  }

  #restUntil(isOver: Promise<void>): void {
    this.#isResting = true;
    void isOver.then(() => {
      this.#isResting = false;
      this.#budget.resume();
      this.#handleBacklog();
    });
  }

  #end(error: unknown): void {
    const why = error ?? this.#killedFor;
    // Before the listener is told, because it may close the line.
    this.#ended = { error: why };
    // A truncated last line is reported only if nothing else explains the end.
    if (why === undefined && this.#cut !== undefined) this.#listener.onCorrupt(this.#cut);
    this.#incoming.close();
    this.#outgoing.rejectAll((subtype) => unanswered(subtype, why));
    this.#listener.onEnd(why);
  }

  /** A message that cannot be handled is lost like a broken line, and reading continues. */
  #lose(cause: unknown): void {
    try {
      const message = `A message has an unexpected shape: ${textOf(cause)}`;
      this.#log.error("a message was lost", { error: textOf(cause) });
      this.#listener.onCorrupt(new HawserError("protocol_error", message, { cause }));
    } catch (error) {
      this.#end(error);
    }
  }

  /**
   * When nothing can be sent any more, the last requests still reach their callbacks, such as the
   * hook SessionEnd. A flood of them does not: it would hold up the end of the line.
   */
  #isFloodAfterEnd(): boolean {
    if (this.#transport.ready) return false;
    this.#requestsAfterEnd += 1;
    return this.#requestsAfterEnd > MOST_AFTER_END;
  }

  #receive(frame: ReceivedFrame): void {
    if (frame.kind === "events") {
      this.#listener.onEvents(frame.events, frame.size);
      return;
    }
    if (frame.kind === "corrupt") {
      if (frame.isCut) this.#cut = frame.error;
      else this.#listener.onCorrupt(frame.error);
    }
    if (frame.kind !== "message") return;
    const { message, size } = frame;
    if (isMessage(message, "stream_event")) this.#listener.onEvents([message], size);
    else if (isMessage(message, "control_request")) {
      if (!this.#isFloodAfterEnd()) this.#incoming.receive(message);
    } else if (isMessage(message, "control_cancel_request")) {
      this.#incoming.cancel(message.request_id);
    } else if (!isMessage(message, "control_response")) this.#listener.onMessage(message, size);
    else if (!this.#outgoing.settle(message)) {
      this.#log.debug("the CLI answered a request that is not pending", {
        id: message.response?.request_id,
      });
    }
  }
}

const MOST_AFTER_END = 1000;

const UNREAD =
  "The CLI closed its input before it read the answer to its request, so it was killed.";

function unanswered(subtype: string, why: unknown): HawserError {
  if (isHawserError(why)) return why;
  return new HawserError(
    "closed",
    `The connection closed before the CLI answered the request ${subtype}.`,
    {
      ...(why === undefined ? {} : { cause: why }),
    },
  );
}
