import { ERROR_CODES, isHawserError } from "hawser";
import { RequestError, type RequestErrorCode } from "./request-error.js";

/** What a client is told of an error, independent of its wire format. */
export interface Problem {
  readonly status: number;
  /** A code of `hawser` or of the gateway. */
  readonly code: string;
  readonly message: string;
  readonly param: string | undefined;
  /** Whether the client should send the same request again by itself. */
  readonly shouldRetry: boolean;
  readonly retryAfterMs: number | undefined;
  /** Facts that clients of the Messages API read. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The status of each refusal of the gateway itself. The codes of `hawser` have theirs in `ERROR_CODES`. */
const STATUS: Readonly<Record<RequestErrorCode, number>> = {
  invalid_request: 400,
  invalid_api_key: 401,
  not_allowed: 403,
  not_found: 404,
  previous_response_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  request_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  insufficient_quota: 429,
  internal: 500,
  busy: 503,
  draining: 503,
};

/** Refusals that do not depend on the request, so that the same request can succeed later. */
const RETRYABLE: ReadonlySet<RequestErrorCode> = new Set([
  "rate_limit_exceeded",
  "busy",
  "draining",
]);

/**
 * Describes an error for the client. `isPaid` says that the model has already worked for this request: then the
 * client must not repeat it by itself, because it would pay twice.
 */
export function problemOf(error: unknown, isPaid: boolean): Problem {
  if (error instanceof RequestError) {
    const { code, message, param, retryAfterMs, details } = error;
    const shouldRetry = RETRYABLE.has(code) && !isPaid;
    return { status: STATUS[code], code, message, param, retryAfterMs, shouldRetry, details };
  }
  if (isHawserError(error)) {
    const { code, message, hint, retryable, resetsAt } = error;
    const { retryAfterMs = resetsAt && Math.max(0, resetsAt.getTime() - Date.now()) } = error;
    const shouldRetry = retryable && !isPaid;
    const { httpStatus: status } = ERROR_CODES[code];
    return {
      status,
      code,
      message: `${message} ${hint}`,
      param: undefined,
      retryAfterMs,
      shouldRetry,
    };
  }
  // The message of an unknown error may hold anything, so it goes to the log only.
  const message = "An unexpected error occurred in the gateway. Its log has the details.";
  return {
    status: 500,
    code: "internal",
    message,
    param: undefined,
    retryAfterMs: undefined,
    shouldRetry: false,
  };
}
