import type { Exchange } from "./exchange.js";

/** One server-sent event. */
export interface SseEvent {
  readonly event?: string | undefined;
  readonly id?: string | undefined;
  /** One line, for example JSON. */
  readonly data: string;
}

/** What a stream needs of its exchange. */
export type StreamedExchange = Pick<Exchange, "abort" | "end">;

export interface SseOptions {
  /** Sent when nothing else was sent for some time, so that proxies keep the connection. */
  readonly heartbeat?: SseEvent | "comment";
  /** @default 15_000 */
  readonly heartbeatMs?: number | undefined;
  /** The last event of a stream that fails. Without it, the stream just ends. */
  readonly failure?: ((error: unknown) => SseEvent | undefined) | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * A response that sends the events as server-sent events. The events are read as fast as the client takes them.
 * If they throw, the response ends after the event of `failure`, without what would make it look complete. If
 * the client leaves, the exchange is aborted and the reading ends.
 */
export function sseResponse(
  exchange: StreamedExchange,
  events: AsyncIterable<SseEvent>,
  options: SseOptions = {},
): Response {
  const body = new ReadableStream<Uint8Array>(new SseSource(exchange, events, options), {
    highWaterMark: 0,
  });
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    // Otherwise nginx would collect the events before it passes them on.
    "x-accel-buffering": "no",
    ...options.headers,
  };
  return new Response(body, { headers });
}

/** An event as it is sent. */
export function encodeSse({ event, id, data }: SseEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  const number = id === undefined ? "" : `id: ${id}\n`;
  // A line break inside of the data would end the field.
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${name}${number}${lines.join("")}\n`;
}

const HEARTBEAT_MS = 15_000;

class SseSource {
  readonly #exchange: StreamedExchange;
  readonly #events: AsyncIterator<SseEvent>;
  readonly #options: SseOptions;
  readonly #encoder = new TextEncoder();
  readonly #heartbeat: Uint8Array;
  /** The event that is being waited for, while heartbeats are sent. */
  #pending: Promise<IteratorResult<SseEvent>> | undefined;

  constructor(exchange: StreamedExchange, events: AsyncIterable<SseEvent>, options: SseOptions) {
    const { heartbeat = "comment" } = options;
    this.#exchange = exchange;
    this.#events = events[Symbol.asyncIterator]();
    this.#options = options;
    this.#heartbeat = this.#encoder.encode(
      heartbeat === "comment" ? ": keep-alive\n\n" : encodeSse(heartbeat),
    );
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      this.#pending ??= this.#events.next();
      const next = await orSilence(this.#pending, this.#options.heartbeatMs ?? HEARTBEAT_MS);
      if (next === undefined) {
        controller.enqueue(this.#heartbeat);
        return;
      }
      this.#pending = undefined;
      if (next.done !== true) {
        controller.enqueue(this.#encoder.encode(encodeSse(next.value)));
        return;
      }
    } catch (error) {
      const last = this.#options.failure?.(error);
      if (last !== undefined) controller.enqueue(this.#encoder.encode(encodeSse(last)));
    }
    // Not `controller.error()`, because a server would then discard what is not yet sent.
    controller.close();
    this.#exchange.end();
  }

  /** The client is gone. */
  cancel(): void {
    // First, so that a reader that waits for the model is woken up.
    this.#exchange.abort();
    this.#pending?.catch(() => {});
    const left = this.#events.return?.();
    Promise.resolve(left).catch(() => {
      // The events end with the error of the abort.
    });
    this.#exchange.end();
  }
}

/** Undefined if the promise has not settled after this time. */
async function orSilence<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    // The connection keeps the program running, or does not: that is up to its server.
    timer = setTimeout(() => resolve(undefined), ms).unref();
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
