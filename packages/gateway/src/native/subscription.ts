import type { Context } from "hono";
import { type SseEvent, sseResponse } from "../http/sse.js";
import type { NativeEnv } from "./native-access.js";
import type { NativeCore } from "./native-core.js";

/**
 * A response with the events that `read` yields, as fast as the client takes them. Its signal is aborted when the
 * client is gone or the server ends. The stream counts towards the limit of the tenant.
 */
export function subscription(
  context: Context<NativeEnv>,
  { streams, heartbeatMs }: NativeCore,
  read: (signal: AbortSignal) => AsyncIterable<SseEvent>,
): Response {
  const close = streams.open(context.get("access").name);
  const exchange = context.get("exchange");
  const stop = new AbortController();
  const abort = () => {
    stop.abort();
    // A server that notices the closed connection before it begins to send never reads or cancels the stream.
    close();
  };
  const client = exchange?.signal ?? context.req.raw.signal;
  client.addEventListener("abort", abort, { once: true });
  if (client.aborted) abort();
  const end = () => {
    client.removeEventListener("abort", abort);
    close();
    exchange?.end();
  };
  const events = untilAborted(read(stop.signal), stop.signal);
  return sseResponse({ abort, end }, events, { heartbeat: "comment", heartbeatMs });
}

/** A stream whose client is gone, or whose server ends, has no error to tell. */
async function* untilAborted(
  events: AsyncIterable<SseEvent>,
  signal: AbortSignal,
): AsyncGenerator<SseEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
