import { setTimeout as sleep } from "node:timers/promises";
import { readSse, type SseMessage } from "../http/read-sse.js";

export interface FollowerOptions {
  /** Opens a stream of the source. */
  readonly open: (path: string, headers: Headers, signal: AbortSignal) => Promise<Response>;
  /** The last event that the client has. */
  readonly after: string | undefined;
  /** Hands on a message. Resolves to false if the client does not get it, because the signal was aborted before. */
  readonly send: (message: Record<string, unknown>, signal: AbortSignal) => Promise<boolean>;
}

/**
 * Reads the events and the questions of one source. A stream that breaks is opened again, after the last event that
 * was handed on, until `stop()`.
 */
export class SourceFollower {
  readonly #options: FollowerOptions;
  readonly #stopping = new AbortController();
  /** The streams that are broken. */
  readonly #broken = new Set<string>();
  #lastEvent: string | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#lastEvent = options.after;
  }

  /** The last event that was handed on. */
  get lastEvent(): string | undefined {
    return this.#lastEvent;
  }

  start(): void {
    void this.#follow("/hawser/v1/events", (message) => this.#onEvent(message));
    void this.#follow("/hawser/v1/approvals/events", (message) => this.#onApproval(message));
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #follow(path: string, take: (message: SseMessage) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const openedAt = performance.now();
      const problem = await this.#readOnce(path, take);
      if (signal.aborted) return;
      // A stream that ends as soon as it begins must not be opened again and again.
      if (performance.now() - openedAt > LONGEST_WAIT_MS) waitMs = FIRST_WAIT_MS;
      await this.#setBroken(path, problem);
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }

  /** Resolves to the reason why the stream has ended. */
  async #readOnce(path: string, take: (message: SseMessage) => Promise<void>): Promise<string> {
    const { signal } = this.#stopping;
    try {
      const headers = new Headers();
      if (path.endsWith("v1/events") && this.#lastEvent !== undefined) {
        headers.set("last-event-id", this.#lastEvent);
      }
      const response = await this.#options.open(path, headers, signal);
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return `The source answered with the status ${response.status}.`;
      }
      await this.#setBroken(path, undefined);
      for await (const message of readSse(response.body as ReadableStream<Uint8Array>)) {
        if (signal.aborted) return "";
        await take(message);
      }
      return "The source has ended the stream.";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #onEvent({ id, data }: SseMessage): Promise<void> {
    const event = data === undefined ? undefined : objectIn(data);
    const isHandedOn =
      event === undefined
        ? await this.#send({ type: "mark", id })
        : await this.#send({ type: "event", event });
    // What cannot be the value of a header cannot be the id of an event.
    if (isHandedOn && id !== undefined && EVENT_ID.test(id)) this.#lastEvent = id;
  }

  async #onApproval({ data }: SseMessage): Promise<void> {
    const change = data === undefined ? undefined : objectIn(data);
    if (change !== undefined) await this.#send({ type: "approval", change });
  }

  #send(message: Record<string, unknown>): Promise<boolean> {
    return this.#options.send(message, this.#stopping.signal);
  }

  /** Tells the client when the first stream breaks, and when all of them are back. */
  async #setBroken(path: string, problem: string | undefined): Promise<void> {
    const wasBroken = this.#broken.size > 0;
    if (problem === undefined) this.#broken.delete(path);
    else this.#broken.add(path);
    const isBroken = this.#broken.size > 0;
    if (wasBroken === isBroken) return;
    const message = isBroken && { message: problem };
    await this.#send({ type: "connection", isConnected: !isBroken, ...message });
  }
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

/** The form of an id of an event. */
export const EVENT_ID: RegExp = /^[\w.:-]{1,200}$/;

/** The object in a JSON text. Throws if it is something else: the page expects an object. */
function objectIn(json: string): object {
  const value: unknown = JSON.parse(json);
  if (typeof value === "object" && value !== null) return value;
  throw new Error("The source has sent an event that is no object.");
}
