import type { ErrorReply } from "./reply.js";

/** Options of `apiError()`. */
export interface ApiErrorOptions {
  /**
   * Message of the error. The CLI shows it for most statuses.
   * @default a message that belongs to the status
   */
  readonly message?: string;
  /**
   * Error type, with the API's own name.
   * @default the type that belongs to the status, such as "rate_limit_error" for 429
   */
  readonly type?: string;
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds, sent in the `retry-after` header. */
  readonly retryAfter?: number;
  /**
   * Milliseconds to wait before the response.
   * @default 0
   */
  readonly delayMs?: number;
}

/**
 * Creates an error response of the API. The CLI retries after most errors, and each attempt takes a
 * reply: set CLAUDE_CODE_MAX_RETRIES=0, or script `always(apiError(…))`.
 *
 * @example
 * ```ts
 * replies: [apiError(529), "Hello."]; // The first attempt fails, the retry succeeds.
 * ```
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

/** The state of a usage limit, as the API's headers report it. */
export interface RateLimit {
  readonly status: "allowed" | "allowed_warning" | "rejected";
  readonly resetsAt: Date;
  /**
   * The limit.
   * @default "five_hour"
   */
  readonly window?: "five_hour" | "seven_day" | "seven_day_opus" | "seven_day_sonnet" | "overage";
  /** The part of the limit that is used, from 0 to 1. */
  readonly utilization?: number;
  /** The warning threshold that was passed, from 0 to 1. */
  readonly surpassedThreshold?: number;
}

/**
 * Creates the headers with which the API reports usage limits to a subscriber. With `oauthToken` (and no
 * API key) the CLI prints them as a `rate_limit_event`; with an API key it ignores them.
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

/** Creates a 429 response that says when the limit of a subscription resets. By default, in one hour. */
export function usageLimit(
  limit: Omit<RateLimit, "status"> = { resetsAt: new Date(Date.now() + 3_600_000) },
  options: ApiErrorOptions = {},
): ErrorReply {
  const headers = rateLimitHeaders({ utilization: 1, ...limit, status: "rejected" });
  return apiError(429, { ...options, headers: { ...headers, ...options.headers } });
}

/** The limits that have their own headers in addition to the common ones. */
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
