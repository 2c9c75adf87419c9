import { type ErrorCode, HawserError, type Mask } from "../errors/index.js";
import type { ResultMessage } from "../wire/index.js";

/** The error that a failed result stands for. `apiError` is the CLI's name of it, if it gave one. */
export function failureOf(
  result: ResultMessage,
  apiError: string | undefined,
  mask?: Mask,
): HawserError {
  const words = result.errors?.join("; ") || result.result || `The CLI reported ${result.subtype}.`;
  const code = codeOf(result, apiError, words);
  const status = result.api_error_status;
  const facts = { result, ...(typeof status === "number" ? { apiStatus: status } : {}) };
  // Asked again, the API refuses the same request again.
  const final = code === "api_error" && typeof status === "number" && status < 500;
  return new HawserError(code, words, final ? { ...facts, retryable: false } : facts, mask);
}

function codeOf(result: ResultMessage, apiError: string | undefined, words: string): ErrorCode {
  if (/No conversation found/i.test(words)) return "session_not_found";
  if (result.subtype === "error_max_structured_output_retries") return "structured_output";
  if (result.stop_reason === "refusal") return "refusal";
  if (result.terminal_reason === "prompt_too_long") return "prompt_too_long";
  // The number is exact where it is known; the name covers what never reached the API.
  const numbered = BY_STATUS[result.api_error_status ?? 0];
  const named = BY_NAME[apiError ?? ""];
  if (numbered !== undefined) return numbered;
  if (named !== undefined) return named;
  if (result.stop_reason === "max_tokens") return "max_output_tokens";
  return result.subtype === "success" ? "api_error" : "process_exited";
}

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
