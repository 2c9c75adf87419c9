import {
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  HawserError,
  type Mask,
  textOf,
} from "../base/index.js";
import type { RateLimitInfo, ResultMessage } from "../wire/index.js";
import { wasInterrupted } from "./turns/turn-costs.js";

/** Why the CLI stopped, if it did not fail. A failure is thrown. */
export type Stop =
  | "completed"
  | "tool_calls"
  | "tool_deferred"
  | "max_turns"
  | "max_budget"
  | "hook_stopped";

/** `is_error` wins over `subtype`, because an API failure has the subtype `success`. */
export function stopOf(result: ResultMessage): Stop | undefined {
  const { subtype, is_error, terminal_reason, stop_reason } = result;
  if (subtype === "error_max_turns") return "max_turns";
  if (subtype === "error_max_budget_usd") return "max_budget";
  if (is_error || subtype !== "success") return undefined;
  // Only this field says it if the call was deferred once more when the session was resumed.
  if (stop_reason === "tool_deferred") return "tool_deferred";
  return terminal_reason === "hook_stopped" ? "hook_stopped" : "completed";
}

/** The facts about a failure in the messages of a turn, apart from its result. */
export interface FailureContext {
  /** The CLI's name of an API failure. */
  readonly apiError: string | undefined;
  readonly rateLimit: RateLimitInfo | undefined;
  /** How long the API asked the CLI to wait before its last own retry. */
  readonly retryAfterMs: number | undefined;
}

/** The error for a result that reports a failure. */
export function failureOf(result: ResultMessage, around: FailureContext, mask?: Mask): HawserError {
  const told = wordsOf(result) || defaultWords(result);
  const code = codeOf(result, around, told);
  // The CLI's own text about an interrupt is meant for its developers.
  const words = code === "aborted" ? "The turn was interrupted." : told;
  const status = result.api_error_status;
  const facts = {
    result,
    ...(typeof status === "number" ? { apiStatus: status } : {}),
    // The CLI names the value that failed only in this text.
    ...(code === "structured_output" ? { issues: [{ message: told }] } : {}),
    ...(isUnavailable(result) ? { hint: TOOL_HINT } : {}),
  };
  return new HawserError(code, words, { ...facts, ...moreOf(code, status, around) }, mask);
}

/** Whether the tool of a deferred call is not among the tools of the resumed session. */
function isUnavailable({ stop_reason }: ResultMessage): boolean {
  return stop_reason === "tool_deferred_unavailable";
}

const TOOL_HINT =
  "Resume the session with the tool of the deferred call: see `deferred_tool_use` of `result`, `tools` and `mcpServers`.";

/** The CLI's own text about a failure; empty if it gives none. */
export function wordsOf({ errors, result }: ResultMessage): string {
  const listed = Array.isArray(errors) ? errors.filter(isText).join("; ") : "";
  return listed || (isText(result) ? result : "");
}

function defaultWords(result: ResultMessage): string {
  if (!isUnavailable(result)) return `The CLI reported ${textOf(result.subtype)}.`;
  return `The deferred call did not run, because ${textOf(result.deferred_tool_use?.name)} is not available.`;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function moreOf(code: ErrorCode, status: unknown, around: FailureContext): ErrorFacts {
  const { rateLimit, retryAfterMs } = around;
  if (code === "usage_limit" && rateLimit?.resetsAt !== undefined) {
    return { resetsAt: new Date(rateLimit.resetsAt * 1000) };
  }
  // The API would refuse the same request again.
  const final = code === "api_error" && typeof status === "number" && !isPassing(status);
  if (final) return { retryable: false };
  return retryAfterMs !== undefined && ERROR_CODES[code].retryable ? { retryAfterMs } : {};
}

/** Whether a later request may succeed. Among statuses below 500 that is 408 (request timeout) alone. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408;
}

/** If the API names no limit, it is only busy, which has nothing to do with the plan. */
function isLimitOfPlan(limit: RateLimitInfo | undefined): boolean {
  const named = limit?.resetsAt !== undefined || limit?.rateLimitType !== undefined;
  return limit?.status === "rejected" && named;
}

function codeOf(result: ResultMessage, around: FailureContext, words: string): ErrorCode {
  const { apiError, rateLimit } = around;
  if (NO_SESSION.test(words)) return "session_not_found";
  const reason = textOf(result.terminal_reason);
  if (wasInterrupted(result)) return "aborted";
  if (isUnavailable(result)) return "invalid_options";
  if (result.subtype === "error_max_structured_output_retries") return "structured_output";
  if (result.stop_reason === "refusal") return "refusal";
  if (TOO_LONG.has(reason)) return "prompt_too_long";
  if (result.api_error_status === 429 && isLimitOfPlan(rateLimit)) return "usage_limit";
  // The status is exact if it is known; the name covers failures that never reached the API.
  const numbered = BY_STATUS.get(result.api_error_status ?? 0);
  const named = BY_NAME.get(apiError ?? "");
  if (numbered !== undefined) return numbered;
  if (named !== undefined) return named;
  if (result.stop_reason === "max_tokens") return "max_output_tokens";
  return result.subtype === "success" ? "api_error" : "process_exited";
}

/** Reported by the API, or by the CLI itself before it sent the request. */
const TOO_LONG: ReadonlySet<string> = new Set(["prompt_too_long", "blocking_limit"]);

const NO_SESSION = /No conversation found|not match any session|valid session ID or session title/i;

const BY_STATUS: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  [401, "auth"],
  [402, "billing"],
  [403, "auth"],
  [404, "model_not_found"],
  [413, "prompt_too_long"],
  [429, "rate_limited"],
  [529, "overloaded"],
]);

const BY_NAME: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  ["authentication_failed", "auth"],
  ["oauth_org_not_allowed", "auth"],
  ["billing_error", "billing"],
  ["rate_limit", "rate_limited"],
  ["overloaded", "overloaded"],
  ["model_not_found", "model_not_found"],
  ["max_output_tokens", "max_output_tokens"],
]);
