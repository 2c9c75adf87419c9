/** What the gateway itself refuses, before or beside a call of `hawser`. */
export type RequestErrorCode =
  | "invalid_request"
  | "invalid_api_key"
  | "not_allowed"
  | "not_found"
  | "previous_response_not_found"
  | "method_not_allowed"
  | "conflict"
  | "request_too_large"
  | "unsupported_media_type"
  | "request_timeout"
  | "rate_limit_exceeded"
  | "insufficient_quota"
  | "busy"
  | "draining"
  | "internal";

export interface RequestErrorFacts {
  /** The path of the parameter at fault, in the client's terms, such as `messages[2].content`. */
  readonly param?: string | undefined;
  /** When the same request may succeed. */
  readonly retryAfterMs?: number | undefined;
  /** Facts for clients of the Messages API, which read some of them: `error.details`. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
}

/** A request that the gateway refuses. The message says what to do. */
export class RequestError extends Error {
  readonly code: RequestErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RequestErrorCode, message: string, facts: RequestErrorFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = "RequestError";
    this.code = code;
    this.param = facts.param;
    this.retryAfterMs = facts.retryAfterMs;
    this.details = facts.details;
  }
}
