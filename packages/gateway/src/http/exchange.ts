import type { Tenant } from "../tenants/tenant.js";

/** One request of a client whose key was checked. Hono keeps it in the variable `exchange`. */
export interface Exchange {
  /** `req_…`, in the headers `request-id` and `x-request-id`, and in the access log. */
  readonly id: string;
  readonly tenant: Tenant;
  /** Aborted when the client is gone, or when the gateway closes. */
  readonly signal: AbortSignal;
  /** What the access log and the metrics tell about this request. */
  readonly record: RequestRecord;
}

/** Facts of a request for the access log. It holds no prompts. The handlers fill it in. */
export interface RequestRecord {
  model?: string;
  isStreamed?: boolean;
  ignored?: readonly string[];
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheCreationTokens?: number;
  costUsd?: number | undefined;
  queuedMs?: number | undefined;
  firstByteMs?: number;
  stopReason?: string;
  errorCode?: string;
}

/** The variables of the Hono application. */
export interface Env {
  Variables: { exchange: Exchange };
}
