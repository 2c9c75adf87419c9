import { type ErrorCode, type HawserError, isHawserError, textOf } from "../../base/index.js";

/** An error as Omega knows it: one kind, with a message for people. */
export interface OmegaError {
  readonly kind: "provider";
  readonly message: string;
  readonly cause: unknown;
}

/**
 * Converts any failure of a call to an error with the documented message. Any other error counts as a
 * failed start.
 */
export function toOmegaError(error: unknown): OmegaError {
  const message = isHawserError(error)
    ? WORDS[WORDING[error.code] ?? "started"](error)
    : `failed to run claude CLI: ${textOf(error)}`;
  return { kind: "provider", message, cause: error };
}

/** The words depend on how far the call had come. */
type Wording = "not_started" | "started" | "timed_out" | "cancelled";

const WORDS: Readonly<Record<Wording, (error: HawserError) => string>> = {
  not_started: ({ message }) => `failed to run claude CLI: ${message}`,
  started: (error) => `claude CLI exited with ${statusOf(error)}: ${wordsOf(error)}`,
  timed_out: ({ message }) =>
    `Claude took too long, so the work was stopped. ${message} Try again, or ask for less at once.`,
  cancelled: ({ message }) => `The request was cancelled. ${message}`,
};

const WORDING: Readonly<Record<ErrorCode, Wording>> = {
  cli_not_found: "not_started",
  cli_not_runnable: "not_started",
  unsupported_by_cli: "not_started",
  not_supported: "not_started",
  invalid_options: "not_started",
  argument_too_long: "not_started",
  cwd_not_found: "not_started",
  root_refused: "started",
  nested_session: "not_started",
  spawn_failed: "not_started",
  process_exited: "started",
  closed: "started",
  already_consumed: "not_started",
  protocol_error: "started",
  message_too_large: "started",
  control_error: "started",
  timeout: "timed_out",
  aborted: "cancelled",
  auth: "started",
  billing: "started",
  rate_limited: "started",
  usage_limit: "started",
  overloaded: "started",
  api_error: "started",
  model_not_found: "started",
  prompt_too_long: "started",
  max_output_tokens: "started",
  refusal: "started",
  max_turns: "started",
  max_budget: "started",
  structured_output: "started",
  session_not_found: "started",
  session_in_use: "started",
  mcp_failed: "started",
  pool_closed: "not_started",
  pool_full: "not_started",
  budget_refused: "not_started",
  approval_expired: "not_started",
  storage_failed: "not_started",
  run_cancelled: "not_started",
  lease_lost: "not_started",
  host_lost: "not_started",
  database_unavailable: "not_started",
  embedded_unavailable: "not_started",
};

/** A process that was ended because its answer was a failure has no exit status. */
function statusOf({ exitCode, signal }: HawserError): string {
  if (signal !== undefined) return `signal: ${signal}`;
  return exitCode === undefined ? "an error" : `exit status: ${exitCode}`;
}

/** The words of the CLI: its answer if there is one, else its stderr. */
function wordsOf({ message, result, stderrTail }: HawserError): string {
  const stderr = stderrTail?.trim() ?? "";
  return result === undefined && stderr !== "" ? stderr : message;
}
