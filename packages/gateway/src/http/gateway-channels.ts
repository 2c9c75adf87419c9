import { tracingChannel } from "node:diagnostics_channel";
import type { TypedTracingChannel } from "hawser";
import { REQUEST_CHANNELS, type RequestChannels } from "./request-events.js";

/** A request of a client, as the channel publishes it. Later facts are filled in before the end. */
export interface TracedRequest {
  /** `req_…`, as in the headers and the access log. */
  readonly id: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The W3C trace context that the client sent. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  tenant?: string | undefined;
  /** The pattern of the route that answered, such as `/v1/messages`. */
  route?: string | undefined;
  model?: string | undefined;
  status?: number | undefined;
  /** The code in the answer, if the request failed. */
  errorCode?: string | undefined;
  /** Why the request failed, if it was not the client's answer: for example, the client was gone. */
  error?: unknown;
}

/** The channels of the gateway. */
export interface GatewayChannels extends RequestChannels {
  /** `hawser:gateway:request`: around a request, until its answer was sent. */
  readonly request: TypedTracingChannel<TracedRequest>;
}

/**
 * Channels of `node:diagnostics_channel`. `request` is a tracing channel. A store that is bound with `request.start.bindStore()` is active
 * while the request is handled, so that the calls of `hawser` inside it are its children. `asyncEnd` is published
 * when the answer was sent, also for a stream.
 */
export const GATEWAY_CHANNELS: GatewayChannels = {
  request: tracingChannel(
    "hawser:gateway:request",
  ) as unknown as TypedTracingChannel<TracedRequest>,
  ...REQUEST_CHANNELS,
};

/** Runs the handling of a request inside its context. The caller publishes the end with `endRequest()`. */
export function runRequest<T>(request: TracedRequest, handle: () => T): T {
  const { start, end } = GATEWAY_CHANNELS.request;
  try {
    return start.runStores(request, handle);
  } finally {
    end.publish(request);
  }
}

/** Publishes that the answer was sent, or why it was not. */
export function endRequest(request: TracedRequest): void {
  const { error, asyncStart, asyncEnd } = GATEWAY_CHANNELS.request;
  if (request.error !== undefined) error.publish(request);
  asyncStart.publish(request);
  asyncEnd.publish(request);
}

/** The trace context of a request, if it is well-formed. */
export function traceContextOf(
  headers: Headers,
): Pick<TracedRequest, "traceparent" | "tracestate"> {
  const traceparent = headers.get("traceparent");
  const isValid =
    traceparent !== null && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}/.test(traceparent);
  if (!isValid) return { traceparent: undefined, tracestate: undefined };
  return { traceparent, tracestate: headers.get("tracestate") ?? undefined };
}
