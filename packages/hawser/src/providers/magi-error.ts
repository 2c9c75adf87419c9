import {
  ERROR_CODES,
  type ErrorCode,
  type HawserError,
  isHawserError,
  textOf,
} from "../base/index.js";

/** The errors of MAGI's provider contract. */
export type MagiError =
  /** `body` is what the CLI says of the answer: it does not print the answer itself. */
  | { readonly kind: "Http"; readonly status: number; readonly body: string }
  | { readonly kind: "Network"; readonly message: string }
  | { readonly kind: "Timeout"; readonly message: string }
  | { readonly kind: "Auth"; readonly message: string }
  /** `stderr` is what the CLI said, wherever it said it; `exitCode` is absent if there is none. */
  | { readonly kind: "Process"; readonly exitCode: number | undefined; readonly stderr: string }
  | { readonly kind: "NestedSession" };

/**
 * The error of MAGI's contract that an error stands for; each code has its row.
 *
 * - `Auth`: auth, which is also a model name that the constructor refuses.
 * - `NestedSession`: nested_session.
 * - `Timeout`: timeout; aborted, if the reason was a time limit (`AbortSignal.timeout()`).
 * - `Http`: billing, rate_limited, usage_limit, overloaded, model_not_found, prompt_too_long, with
 *   the API's status or the one that the code stands for; api_error with a status.
 * - `Network`: api_error without a status, since then the API was not reached.
 * - `Process`: everything else, with the CLI's words.
 *
 * An error that is not of hawser is `Network` or `Timeout` if it says so itself, else `Process`.
 */
export function toMagiError(error: unknown): MagiError {
  if (!isHawserError(error)) return foreign(error);
  // Another installed copy may know codes that this one does not.
  return (ROWS[error.code] ?? failed)(error);
}

type Row = (error: HawserError) => MagiError;

const failed: Row = ({ exitCode, message, stderrTail = "" }) => {
  const more = message.includes(stderrTail.trim()) ? "" : `\n${stderrTail}`;
  return { kind: "Process", exitCode, stderr: message + more };
};

const http: Row = ({ code, apiStatus, message }) => ({
  kind: "Http",
  status: apiStatus ?? ERROR_CODES[code].httpStatus,
  body: message,
});

const api: Row = (error) =>
  error.apiStatus === undefined ? { kind: "Network", message: error.message } : http(error);

const late: Row = ({ message }) => ({ kind: "Timeout", message });

const aborted: Row = (error) => (isTimeout(error.reason) ? late(error) : failed(error));

const ROWS: Readonly<Record<ErrorCode, Row>> = {
  cli_not_found: failed,
  cli_not_runnable: failed,
  unsupported_by_cli: failed,
  not_supported: failed,
  invalid_options: failed,
  argument_too_long: failed,
  cwd_not_found: failed,
  root_refused: failed,
  nested_session: () => ({ kind: "NestedSession" }),
  spawn_failed: failed,
  process_exited: failed,
  closed: failed,
  already_consumed: failed,
  protocol_error: failed,
  message_too_large: failed,
  control_error: failed,
  timeout: late,
  aborted,
  auth: ({ message }) => ({ kind: "Auth", message }),
  billing: http,
  rate_limited: http,
  usage_limit: http,
  overloaded: http,
  api_error: api,
  model_not_found: http,
  prompt_too_long: http,
  max_output_tokens: failed,
  refusal: failed,
  max_turns: failed,
  max_budget: failed,
  structured_output: failed,
  session_not_found: failed,
  session_in_use: failed,
  mcp_failed: failed,
  pool_closed: failed,
  pool_full: failed,
  budget_refused: failed,
  storage_failed: failed,
};

function foreign(error: unknown): MagiError {
  const message = textOf(error);
  if (isTimeout(error)) return { kind: "Timeout", message };
  if (isOfNetwork(error) || isOfNetwork(fieldOf(error, "cause"))) {
    return { kind: "Network", message };
  }
  return { kind: "Process", exitCode: undefined, stderr: message };
}

function isTimeout(error: unknown): boolean {
  return fieldOf(error, "name") === "TimeoutError";
}

const NETWORK = /^(ECONN|ENET|EHOST|ENOTFOUND|EAI_|EPIPE|ETIMEDOUT|UND_ERR_)/;

function isOfNetwork(error: unknown): boolean {
  const code = fieldOf(error, "code");
  return typeof code === "string" && NETWORK.test(code);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
