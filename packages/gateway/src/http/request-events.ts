import { channel } from "node:diagnostics_channel";
import type { EventChannel } from "hawser";
import { type AccessEntry, shortText } from "./access-log.js";

/** A request of a tenant has begun: its key, its `Host` and its `Origin` were accepted. */
export interface RequestStartEvent {
  /** In milliseconds since 1970. */
  readonly at: number;
  /** The number of the gateway in this program. */
  readonly gateway: number;
  /** `req_…`, as in the headers and the access log. */
  readonly request: string;
  readonly tenant: string;
  readonly method: string;
  /** Without the query, and cut if it is long. */
  readonly path: string;
}

/** The answer to a request was sent, or its client is gone. It holds no prompt, no answer and no key. */
export interface RequestEndEvent extends RequestStartEvent {
  /** The route that answered, such as `/v1/responses/:id`; undefined if there is none. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  readonly firstByteMs: number | undefined;
  /** The model as the client named it, cut if it is long. */
  readonly model: string | undefined;
  readonly isStreamed: boolean;
  /** Whether the client was gone before the whole answer was sent. */
  readonly isAborted: boolean;
  readonly usage: RequestTokens | undefined;
  /** Whether the tokens are an estimate, because the answer was cut off. */
  readonly isEstimate: boolean;
  readonly costUsd: number | undefined;
  readonly stopReason: string | undefined;
  /** The code of the error, if the request was refused or failed. */
  readonly code: string | undefined;
}

export interface RequestTokens {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cacheReadTokens: number | undefined;
  readonly cacheCreationTokens: number | undefined;
}

/** The channels of the requests of tenants. */
export interface RequestChannels {
  /** `hawser:request:start`: the key of a request was accepted. */
  readonly requestStart: EventChannel<RequestStartEvent>;
  /** `hawser:request:end`: the answer was sent, or the client is gone. */
  readonly requestEnd: EventChannel<RequestEndEvent>;
}

export const REQUEST_CHANNELS: RequestChannels = {
  requestStart: typedChannel("hawser:request:start"),
  requestEnd: typedChannel("hawser:request:end"),
};

/** The facts of an answered request that are no secret. */
export function requestEnd(start: RequestStartEvent, entry: AccessEntry): RequestEndEvent {
  const { route, status, ms, firstByteMs, model, costUsd, stopReason, errorCode } = entry;
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = entry;
  const tokens = { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
  return {
    ...start,
    at: start.at + ms,
    ...{ route, status, ms, firstByteMs, costUsd, stopReason },
    model: model && shortText(model),
    isStreamed: entry.isStreamed === true,
    isAborted: entry.isAborted,
    usage: outputTokens === undefined ? undefined : tokens,
    isEstimate: entry.isEstimate === true,
    code: errorCode,
  };
}

/** The module has no types for the events of a channel. */
function typedChannel<Event>(name: string): EventChannel<Event> {
  return channel(name) as unknown as EventChannel<Event>;
}
