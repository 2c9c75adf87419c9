import type { ErrorReply } from "./reply.js";

/** What goes with a refusal. */
export interface ApiErrorOptions {
  /** What the API would say; the CLI shows it for most statuses. */
  readonly message?: string;
  /** The API's name for the kind of error; by default the one that belongs to the status. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds, sent as `retry-after`. */
  readonly retryAfter?: number;
  /** Wait this long before the answer. */
  readonly delayMs?: number;
}

/**
 * An error answer of the API. The CLI tries again after most of them, and each attempt takes a reply:
 * set CLAUDE_CODE_MAX_RETRIES=0, or script `always(apiError(…))`.
 */
export function apiError(status: number, options: ApiErrorOptions = {}): ErrorReply {
  const row = ERRORS[status] ?? { type: "api_error", message: "Simulated error" };
  const { retryAfter } = options;
  return {
    kind: "error",
    status,
    error: { type: options.type ?? row.type, message: options.message ?? row.message },
    headers: {
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      ...options.headers,
    },
    delayMs: options.delayMs ?? 0,
  };
}

/** What the API's headers tell of a limit. */
export interface RateLimit {
  readonly status: "allowed" | "allowed_warning" | "rejected";
  readonly resetsAt: Date;
  /** Which limit it is about. */
  readonly window?: "five_hour" | "seven_day" | "seven_day_opus" | "seven_day_sonnet" | "overage";
  /** The used part of that limit, 0 to 1. */
  readonly utilization?: number;
  /** The warning level that was passed, 0 to 1. */
  readonly surpassedThreshold?: number;
}

/**
 * The headers by which the API tells a subscriber about usage limits. With `oauthToken` (and no API
 * key) the CLI prints them as a `rate_limit_event`; with an API key it ignores them.
 */
export function rateLimitHeaders(limit: RateLimit): Record<string, string> {
  const window = limit.window ?? "five_hour";
  const reset = String(Math.floor(limit.resetsAt.getTime() / 1000));
  const headers: Record<string, string> = {
    [`${UNIFIED}-status`]: limit.status,
    [`${UNIFIED}-reset`]: reset,
    [`${UNIFIED}-representative-claim`]: window,
  };
  const short = ABBREVIATIONS[window];
  if (short === undefined) return headers;
  headers[`${UNIFIED}-${short}-status`] = limit.status;
  headers[`${UNIFIED}-${short}-reset`] = reset;
  if (limit.utilization !== undefined) {
    headers[`${UNIFIED}-${short}-utilization`] = String(limit.utilization);
  }
  if (limit.surpassedThreshold !== undefined) {
    headers[`${UNIFIED}-${short}-surpassed-threshold`] = String(limit.surpassedThreshold);
  }
  return headers;
}

/** A 429 that says when the limit of a subscription resets. */
export function usageLimit(
  limit: Omit<RateLimit, "status"> = { resetsAt: new Date(Date.now() + 3_600_000) },
  options: ApiErrorOptions = {},
): ErrorReply {
  const headers = rateLimitHeaders({ utilization: 1, ...limit, status: "rejected" });
  return apiError(429, { ...options, headers: { ...headers, ...options.headers } });
}

/** The limits that have headers of their own beside the common ones. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  five_hour: "5h",
  seven_day: "7d",
  overage: "overage",
};

const UNIFIED = "anthropic-ratelimit-unified";

const ERRORS: Readonly<Record<number, { readonly type: string; readonly message: string }>> = {
  400: { type: "invalid_request_error", message: "Simulated invalid request" },
  401: { type: "authentication_error", message: "invalid x-api-key" },
  403: { type: "permission_error", message: "Simulated missing permission" },
  404: { type: "not_found_error", message: "Simulated resource not found" },
  413: { type: "request_too_large", message: "Request exceeds the maximum size" },
  429: { type: "rate_limit_error", message: "Simulated rate limit" },
  500: { type: "api_error", message: "Internal server error" },
  529: { type: "overloaded_error", message: "Overloaded" },
};
