import {
  ERROR_CODES,
  type ErrorCode,
  getPath,
  type HawserError,
  isHawserError,
  textOf,
} from "../../base/index.js";

/** The errors of MAGI's provider contract. */
export type MagiError =
  /** `body` is the message of the CLI. The CLI does not print the body of the HTTP answer. */
  | { readonly kind: "Http"; readonly status: number; readonly body: string }
  | { readonly kind: "Network"; readonly message: string }
  | { readonly kind: "Timeout"; readonly message: string }
  | { readonly kind: "Auth"; readonly message: string }
  /** `stderr` is the message of the CLI, also if it was on stdout. `exitCode` may be unknown. */
  | { readonly kind: "Process"; readonly exitCode: number | undefined; readonly stderr: string }
  | { readonly kind: "NestedSession" };

/**
 * Converts an error to the error of MAGI's contract. Each code has its row.
 *
 * - `Auth`: auth; the constructor also throws it for an unknown model name.
 * - `NestedSession`: nested_session.
 * - `Timeout`: timeout; aborted, if the reason was a time limit (`AbortSignal.timeout()`).
 * - `Http`: billing, rate_limited, usage_limit, overloaded, model_not_found, prompt_too_long, with
 *   the API's status, or else the HTTP status of the code; api_error with a status.
 * - `Network`: api_error without a status, because then the API was not reached.
 * - `Process`: every other code, with the message of the CLI.
 *
 * An error that is not a HawserError is `Network` or `Timeout` if its code or name says so, else `Process`.
 */
export function toMagiError(error: unknown): MagiError {
  if (!isHawserError(error)) return convertForeignError(error);
  // The error may come from another installed version, which has codes that this one does not know.
  return (CONVERTERS[error.code] ?? processError)(error);
}

type Converter = (error: HawserError) => MagiError;

const processError: Converter = ({ exitCode, message, stderrTail = "" }) => {
  const more = message.includes(stderrTail.trim()) ? "" : `\n${stderrTail}`;
  return { kind: "Process", exitCode, stderr: message + more };
};

const httpError: Converter = ({ code, apiStatus, message }) => ({
  kind: "Http",
  status: apiStatus ?? ERROR_CODES[code].httpStatus,
  body: message,
});

const apiError: Converter = (error) =>
  error.apiStatus === undefined ? { kind: "Network", message: error.message } : httpError(error);

const timeoutError: Converter = ({ message }) => ({ kind: "Timeout", message });

const abortError: Converter = (error) =>
  isTimeout(error.reason) ? timeoutError(error) : processError(error);

const CONVERTERS: Readonly<Record<ErrorCode, Converter>> = {
  cli_not_found: processError,
  cli_not_runnable: processError,
  unsupported_by_cli: processError,
  not_supported: processError,
  invalid_options: processError,
  argument_too_long: processError,
  cwd_not_found: processError,
  root_refused: processError,
  nested_session: () => ({ kind: "NestedSession" }),
  spawn_failed: processError,
  process_exited: processError,
  closed: processError,
  already_consumed: processError,
  protocol_error: processError,
  message_too_large: processError,
  control_error: processError,
  timeout: timeoutError,
  aborted: abortError,
  auth: ({ message }) => ({ kind: "Auth", message }),
  billing: httpError,
  rate_limited: httpError,
  usage_limit: httpError,
  overloaded: httpError,
  api_error: apiError,
  model_not_found: httpError,
  prompt_too_long: httpError,
  max_output_tokens: processError,
  refusal: processError,
  max_turns: processError,
  max_budget: processError,
  structured_output: processError,
  session_not_found: processError,
  session_in_use: processError,
  mcp_failed: processError,
  pool_closed: processError,
  pool_full: processError,
  budget_refused: processError,
  approval_expired: processError,
  storage_failed: processError,
  run_cancelled: processError,
  lease_lost: processError,
  host_lost: processError,
  database_unavailable: processError,
  embedded_unavailable: processError,
};

function convertForeignError(error: unknown): MagiError {
  const message = textOf(error);
  if (isTimeout(error)) return { kind: "Timeout", message };
  if (isNetworkError(error) || isNetworkError(getPath(error, "cause"))) {
    return { kind: "Network", message };
  }
  return { kind: "Process", exitCode: undefined, stderr: message };
}

function isTimeout(error: unknown): boolean {
  return getPath(error, "name") === "TimeoutError";
}

const NETWORK = /^(ECONN|ENET|EHOST|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|UND_ERR_)/;

function isNetworkError(error: unknown): boolean {
  const code = getPath(error, "code");
  return typeof code === "string" && NETWORK.test(code);
}
