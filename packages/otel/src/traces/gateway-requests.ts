import { tracingChannel } from "node:diagnostics_channel";
import {
  type Context,
  context,
  createTraceState,
  type Span,
  type SpanContext,
  SpanKind,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import type { TypedTracingChannel } from "hawser";
import { given } from "./agent-run.js";
import type { Instrumentation } from "./instrumentation.js";
import { eventNow, type OpenSpan } from "./open-spans.js";

/** The channel of `@hawser/gateway`, found by its name, so that the gateway need not be installed. */
export const GATEWAY_REQUEST = tracingChannel(
  "hawser:gateway:request",
) as unknown as TypedTracingChannel<GatewayRequest>;

/** A request as the gateway publishes it. The gateway fills in later facts before the end. */
export interface GatewayRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  readonly tenant?: string | undefined;
  readonly route?: string | undefined;
  readonly status?: number | undefined;
  /** The code of the answer, if the request failed. */
  readonly errorCode?: string | undefined;
  /** Set if the client was gone before it had the answer. */
  readonly error?: unknown;
}

/** Makes a span of each request to the gateway. The spans of its calls are below. */
export class GatewayRequests {
  readonly #shared: Instrumentation;
  readonly #open = new WeakMap<GatewayRequest, OpenSpan>();

  constructor(shared: Instrumentation) {
    this.#shared = shared;
  }

  /** Starts the span of a request. Returns the context in which the request is handled. */
  start(request: GatewayRequest): Context | undefined {
    const { id, path } = request;
    if (PROBES.has(path)) return undefined;
    const method = METHODS.has(request.method) ? request.method : undefined;
    const { spans, conventions } = this.#shared;
    const { keys } = conventions;
    const active = context.active();
    const above = trace.getSpan(active);
    // If the HTTP server is instrumented too, its span has read the header already.
    const isInside = isOpenHere(above);
    const isRead = isInside || above?.spanContext().isRemote === true;
    const open = spans.start({
      name: method ?? UNKNOWN_METHOD.inNames,
      kind: isInside ? SpanKind.INTERNAL : SpanKind.SERVER,
      at: eventNow(),
      parent: isRead ? active : parentOf(request, active),
      attributes: {
        [keys.httpMethod]: method ?? UNKNOWN_METHOD.value,
        [keys.httpPath]: path,
        [keys.requestId]: id,
      },
    });
    this.#open.set(request, open);
    return open.context;
  }

  /** Ends the span when the answer was sent. */
  end(request: GatewayRequest): void {
    const open = this.#open.get(request);
    if (open === undefined) return;
    this.#open.delete(request);
    const { keys } = this.#shared.conventions;
    const { method, route, tenant, status } = request;
    const error = errorTypeOf(request);
    if (route !== undefined) {
      const shown = METHODS.has(method) ? method : UNKNOWN_METHOD.inNames;
      open.span.updateName(`${shown} ${route}`);
    }
    open.set({
      ...given(keys.httpRoute, route),
      ...given(keys.tenant, tenant),
      ...given(keys.httpStatus, status),
      ...given(keys.errorType, error),
    });
    if (error !== undefined) open.fail();
    open.end(eventNow());
  }
}

/** Load balancers and monitors ask for these paths all the time. */
const PROBES = new Set(["/health", "/ready", "/metrics"]);

/** The methods that the conventions for HTTP know. Any other has one name, because clients invent them. */
const METHODS = new Set([
  "CONNECT",
  "DELETE",
  "GET",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "POST",
  "PUT",
  "TRACE",
]);
const UNKNOWN_METHOD = { value: "_OTHER", inNames: "HTTP" } as const;

/**
 * Whether a span is of this program and has not ended. A server that was started inside a span has that span in the
 * context of all its requests, long after its end.
 */
function isOpenHere(span: Span | undefined): boolean {
  if (span === undefined) return false;
  if (span.isRecording()) return true;
  const { isRemote = false, traceFlags } = span.spanContext();
  // A span that is not sampled never records. A sampled one that does not record has ended.
  return !isRemote && (traceFlags & TraceFlags.SAMPLED) === 0;
}

/** A request that the client got wrong is no failure of the server, by the conventions for HTTP. */
function errorTypeOf({ status = 0, errorCode, error }: GatewayRequest): string | undefined {
  if (error !== undefined) return CLIENT_GONE;
  // A stream can fail after its status was sent.
  const isFailure = status >= 500 || (status < 400 && errorCode !== undefined);
  return isFailure ? (errorCode ?? String(status)) : undefined;
}

const CLIENT_GONE = "aborted";

function parentOf(request: GatewayRequest, active: Context): Context {
  const remote = spanContextOf(request);
  return remote === undefined ? trace.deleteSpan(active) : trace.setSpanContext(active, remote);
}

/** The parent that the client named by the headers `traceparent` and `tracestate` of W3C Trace Context. */
function spanContextOf({ traceparent, tracestate }: GatewayRequest): SpanContext | undefined {
  const [, version, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (version === undefined || version === "ff" || traceId === undefined) return undefined;
  if (spanId === undefined || flags === undefined) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
  const remote: SpanContext = {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  };
  return trace.isSpanContextValid(remote) ? remote : undefined;
}

/** A later version than 00 may have more fields. */
const TRACEPARENT = /^(?!00-.{53})([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;
