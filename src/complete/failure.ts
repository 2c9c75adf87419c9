import { type ErrorCode, HawserError } from "../errors/index.js";
import type { ResultMessage } from "../wire/index.js";

/** The error that a failed result stands for. `apiError` is the CLI's name of it, if it gave one. */
export function failureOf(result: ResultMessage, apiError: string | undefined): HawserError {
  const words = result.errors?.join("; ") || result.result || `The CLI reported ${result.subtype}.`;
  const status = result.api_error_status;
  return new HawserError(codeOf(result, apiError, words), words, {
    ...(typeof status === "number" ? { apiStatus: status } : {}),
    result,
  });
}

function codeOf(result: ResultMessage, apiError: string | undefined, words: string): ErrorCode {
  if (/No conversation found/i.test(words)) return "session_not_found";
  if (result.stop_reason === "refusal") return "refusal";
  if (result.terminal_reason === "prompt_too_long") return "prompt_too_long";
  const named = BY_NAME[apiError ?? ""];
  const numbered = BY_STATUS[result.api_error_status ?? 0];
  // The number is exact where it is known; the name covers what never reached the API.
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
