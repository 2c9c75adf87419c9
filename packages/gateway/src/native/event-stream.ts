import type { ReadableStreamDefaultController, UnderlyingSource } from "node:stream/web";
import type { EventLog, LoggedEvent } from "./event-log.js";

export interface EventStreamOptions {
  readonly log: EventLog;
  /** The id of the last event that the client has; undefined for a client that has none. */
  readonly after: string | undefined;
  readonly isWanted: (event: LoggedEvent) => boolean;
  /** The state as JSON text without the field `id`, true after the newest event. */
  readonly snapshot: () => object;
  readonly signal: AbortSignal | undefined;
  readonly heartbeatMs: number;
  /** Called once, when the stream is over. */
  readonly onEnd: () => void;
}

/** Why a client must forget what it knows and begin with a snapshot. */
export type ResetReason =
  /** The events after the client's last one are not kept any more. */
  | "too_old"
  /** The id is of another start of the server, or is no id. */
  | "other_run"
  /** The client did not read fast enough. */
  | "slow_reader";

/**
 * The events of a log as server-sent events. A client without an id gets a snapshot and then the events after it.
 * A client with an id gets the events after that id; if they are not all kept, it gets a `reset`, a snapshot and
 * then the events after it.
 *
 * The stream holds a number and a chunk, and no queue: if the client does not read, the log goes on without it.
 */
export class EventStream implements UnderlyingSource<Uint8Array> {
  readonly #options: EventStreamOptions;
  readonly #encoder = new TextEncoder();
  /** The number of the last event that was sent or was not for this client. */
  #position = 0;
  #begun = false;
  #isOver = false;
  #isCancelled = false;
  #wake: () => void = () => {};
  #stopListening: () => void = () => {};
  #sentAt = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    const { log, signal } = options;
    const onAbort = () => this.#end();
    signal?.addEventListener("abort", onAbort, { once: true });
    const stopLog = log.listen(() => this.#wake());
    this.#stopListening = () => {
      stopLog();
      signal?.removeEventListener("abort", onAbort);
    };
    if (signal?.aborted === true) this.#end();
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    let text = this.#begun ? "" : this.#begin();
    while (!this.#isCancelled) {
      text += this.#read();
      if (text !== "") {
        this.#sentAt = performance.now();
        controller.enqueue(this.#encoder.encode(text));
        return;
      }
      if (this.#isOver || this.#options.log.isClosed) {
        this.#end();
        controller.close();
        return;
      }
      await this.#next();
      const silentMs = performance.now() - this.#sentAt;
      // The id alone tells the client that it has missed nothing, and makes no event.
      if (silentMs >= this.#options.heartbeatMs) text = this.#mark();
    }
  }

  /** The client is gone. */
  cancel(): void {
    this.#isCancelled = true;
    this.#end();
  }

  #begin(): string {
    this.#begun = true;
    const { log, after } = this.#options;
    const hello = `retry: ${RETRY_MS}\n\n`;
    if (after === undefined) return hello + this.#snapshot();
    const number = log.numberOf(after);
    if (number === undefined || number > log.last) return hello + this.#reset("other_run");
    if (!log.has(number)) return hello + this.#reset("too_old");
    this.#position = number;
    // So that the client has an answer at once, even if there is nothing to send.
    return hello;
  }

  /** The next events, at most a chunk. */
  #read(): string {
    const { log, isWanted } = this.#options;
    if (!log.has(this.#position)) return this.#reset("slow_reader");
    let text = "";
    while (this.#position < log.last && text.length < CHUNK) {
      this.#position += 1;
      const event = log.get(this.#position);
      if (event === undefined || !isWanted(event)) continue;
      text += `id: ${log.idOf(event.number)}\ndata: ${event.json}\n\n`;
    }
    return text;
  }

  #reset(reason: ResetReason): string {
    const { after } = this.#options;
    const data = { kind: "reset", reason, ...(reason !== "slow_reader" && { after }) };
    // Without an id: a client whose connection breaks before the snapshot must get it when it connects again.
    return `data: ${JSON.stringify(data)}\n\n${this.#snapshot()}`;
  }

  #snapshot(): string {
    const { log, snapshot } = this.#options;
    this.#position = log.last;
    const id = log.idOf(log.last);
    const data = JSON.stringify({ id, kind: "snapshot", ...snapshot() });
    return `id: ${id}\ndata: ${data}\n\n`;
  }

  #mark(): string {
    return `: keep-alive\nid: ${this.#options.log.idOf(this.#position)}\n\n`;
  }

  /** Waits for an event, for the end, or until a sign of life is due. */
  async #next(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, this.#options.heartbeatMs).unref();
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening();
    this.#wake();
    this.#options.onEnd();
  }
}

const RETRY_MS = 1000;
const CHUNK = 65_536;
