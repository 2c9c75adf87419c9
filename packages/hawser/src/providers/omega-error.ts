import { type ErrorCode, type HawserError, isHawserError, textOf } from "../base/index.js";

/** An error as Omega knows it: one kind, with a message for people. */
export interface OmegaError {
  readonly kind: "provider";
  readonly message: string;
  readonly cause: unknown;
}

/** Any failure of a call in the documented words. What is no error of hawser's counts as a start. */
export function toOmegaError(error: unknown): OmegaError {
  const message = isHawserError(error)
    ? WORDS[WORDING[error.code] ?? "started"](error)
    : `failed to run claude CLI: ${textOf(error)}`;
  return { kind: "provider", message, cause: error };
}

/** How far a call had come decides about the words. */
type Wording = "unstarted" | "started" | "late" | "cancelled";

const WORDS: Readonly<Record<Wording, (error: HawserError) => string>> = {
  unstarted: ({ message }) => `failed to run claude CLI: ${message}`,
  started: (error) => `claude CLI exited with ${statusOf(error)}: ${wordsOf(error)}`,
  late: ({ message }) =>
    `Claude took too long, so the work was stopped. ${message} Try again, or ask for less at once.`,
  cancelled: ({ message }) => `The request was cancelled. ${message}`,
};

const WORDING: Readonly<Record<ErrorCode, Wording>> = {
  cli_not_found: "unstarted",
  cli_not_runnable: "unstarted",
  unsupported_by_cli: "unstarted",
  not_supported: "unstarted",
  invalid_options: "unstarted",
  argument_too_long: "unstarted",
  cwd_not_found: "unstarted",
  root_refused: "started",
  nested_session: "unstarted",
  spawn_failed: "unstarted",
  process_exited: "started",
  closed: "started",
  already_consumed: "unstarted",
  protocol_error: "started",
  message_too_large: "started",
  control_error: "started",
  timeout: "late",
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
  pool_closed: "unstarted",
  pool_full: "unstarted",
  budget_refused: "unstarted",
  storage_failed: "unstarted",
};

/** A process that we ended ourselves, since its answer was a failure, has no status of its own. */
function statusOf({ exitCode, signal }: HawserError): string {
  if (signal !== undefined) return `signal: ${signal}`;
  return exitCode === undefined ? "an error" : `exit status: ${exitCode}`;
}

/** What the CLI itself said: its answer where it gave one, else what it wrote to stderr. */
function wordsOf({ message, result, stderrTail }: HawserError): string {
  const said = stderrTail?.trim() ?? "";
  return result === undefined && said !== "" ? said : message;
}
