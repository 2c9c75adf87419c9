import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  HawserError,
  type Mask,
} from "../errors/index.js";
import type { RateLimitInfo, ResultMessage } from "../wire/index.js";

/** What the turn said of a failure beside its result. */
export interface Circumstances {
  /** The CLI's name of an API failure. */
  readonly apiError: string | undefined;
  readonly rateLimit: RateLimitInfo | undefined;
  /** How long the API asked the CLI to wait before its last own retry. */
  readonly retryAfterMs: number | undefined;
}

/** The error that a failed result stands for. */
export function failureOf(result: ResultMessage, around: Circumstances, mask?: Mask): HawserError {
  const errors = Array.isArray(result.errors) ? result.errors.join("; ") : "";
  const told = errors || result.result || `The CLI reported ${result.subtype}.`;
  const code = codeOf(result, around, told);
  // What the CLI says of it is for its own makers.
  const words = code === "aborted" ? "The turn was interrupted." : told;
  const status = result.api_error_status;
  const facts = {
    result,
    ...(typeof status === "number" ? { apiStatus: status } : {}),
    // Which value it was about, the CLI tells in words only.
    ...(code === "structured_output" ? { issues: [{ message: told }] } : {}),
  };
  return new HawserError(code, words, { ...facts, ...moreOf(code, status, around) }, mask);
}

function moreOf(code: ErrorCode, status: unknown, around: Circumstances): ErrorFacts {
  const { rateLimit, retryAfterMs } = around;
  if (code === "usage_limit" && rateLimit?.resetsAt !== undefined) {
    return { resetsAt: new Date(rateLimit.resetsAt * 1000) };
  }
  // Asked again, the API refuses the same request again.
  const final = code === "api_error" && typeof status === "number" && !isPassing(status);
  if (final) return { retryable: false };
  return retryAfterMs !== undefined && ERROR_CODES[code].retryable ? { retryAfterMs } : {};
}

/** Of the statuses below 500, only that of a request that was too slow. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Without a limit that it names, the API is only busy: that has nothing to do with the plan. */
function isLimitOfPlan(limit: RateLimitInfo | undefined): boolean {
  const named = limit?.resetsAt !== undefined || limit?.rateLimitType !== undefined;
  return limit?.status === "rejected" && named;
}

function codeOf(result: ResultMessage, around: Circumstances, words: string): ErrorCode {
  const { apiError, rateLimit } = around;
  if (NO_SESSION.test(words)) return "session_not_found";
  if (String(result.terminal_reason).startsWith("aborted")) return "aborted";
  if (result.subtype === "error_max_structured_output_retries") return "structured_output";
  if (result.stop_reason === "refusal") return "refusal";
  if (TOO_LONG.has(String(result.terminal_reason))) return "prompt_too_long";
  if (result.api_error_status === 429 && isLimitOfPlan(rateLimit)) return "usage_limit";
  // The number is exact where it is known; the name covers what never reached the API.
  const numbered = BY_STATUS[result.api_error_status ?? 0];
  const named = BY_NAME[apiError ?? ""];
  if (numbered !== undefined) return numbered;
  if (named !== undefined) return named;
  if (result.stop_reason === "max_tokens") return "max_output_tokens";
  return result.subtype === "success" ? "api_error" : "process_exited";
}

/** As the API found it, or the CLI by itself before it asked. */
const TOO_LONG: ReadonlySet<string> = new Set(["prompt_too_long", "blocking_limit"]);

const NO_SESSION = /No conversation found|not match any session|valid session ID or session title/i;

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: "auth",
  402: "billing",
  403: "auth",
  404: "model_not_found",
  413: "prompt_too_long",
  429: "rate_limited",
  529: "overloaded",
};

const BY_NAME: Readonly<Record<string, ErrorCode>> = {
  authentication_failed: "auth",
  oauth_org_not_allowed: "auth",
  billing_error: "billing",
  rate_limit: "rate_limited",
  overloaded: "overloaded",
  model_not_found: "model_not_found",
  max_output_tokens: "max_output_tokens",
};
