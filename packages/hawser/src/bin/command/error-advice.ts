import type { ErrorCode } from "../../base/index.js";

interface Advice {
  readonly hint: string;
  /** What `hawser doctor` can add. The doctor itself does not print it. */
  readonly doctor?: string;
}

/** What the user can do about each failure. Used if the error has no specific hint. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  cli_not_found: {
    hint: "Install it with `npm install -g @anthropic-ai/claude-code`, or set its path with --cli or HAWSER_CLI.",
    doctor: "`hawser doctor` shows where hawser looked.",
  },
  cli_not_runnable: {
    hint: "Check that the file is the CLI and can run on this platform. If it is a stub, install the CLI again.",
    doctor: "`hawser doctor` shows what it found.",
  },
  unsupported_by_cli: {
    hint: "Update the CLI with `claude update` or npm, or leave out the option in the message.",
  },
  not_supported: { hint: "See `hawser --help`." },
  invalid_options: { hint: "See `hawser --help` for the options and their values." },
  argument_too_long: {
    hint: "Shorten the value of the option; a prompt may be of any length.",
  },
  cwd_not_found: { hint: "Create the folder, or correct --cwd." },
  root_refused: {
    hint: "Choose another --mode, or run the command as another user. In a sandboxed container, set IS_SANDBOX=1.",
  },
  nested_session: { hint: "Unset CLAUDECODE." },
  spawn_failed: {
    hint: "The operating system could not start the process; the message says why.",
    doctor: "`hawser doctor` checks folders, disks and limits.",
  },
  process_exited: { hint: "Try again.", doctor: "`hawser doctor --live` makes one small call." },
  closed: { hint: "Start the command again." },
  already_consumed: { hint: "Start the command again." },
  protocol_error: {
    hint: "Run the command again with HAWSER_TRACE=file set, and report that file and the CLI's version.",
  },
  message_too_large: { hint: "Ask for less at once." },
  control_error: { hint: "The message comes from the CLI." },
  timeout: {
    hint: "Try again, or allow more time: `hawser ask --timeout 20m`.",
    doctor: "`hawser doctor` looks for the cause.",
  },
  aborted: { hint: "You stopped the call." },
  auth: {
    hint: "Run `claude` and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.",
    doctor: "`hawser doctor` shows which credential hawser finds.",
  },
  billing: { hint: "Check the account's credit and its billing settings." },
  rate_limited: { hint: "Wait a minute, then try again." },
  usage_limit: { hint: "Wait until the limit is reset, or use another account." },
  overloaded: { hint: "Try again later." },
  api_error: {
    hint: "Check the network, the proxy and ANTHROPIC_BASE_URL, then try again.",
    doctor: "`hawser doctor` checks proxies, the base URL and certificates.",
  },
  model_not_found: { hint: "Correct --model." },
  prompt_too_long: {
    hint: "Shorten the prompt, or choose a model with a larger context window (--model).",
  },
  max_output_tokens: {
    hint: "Ask for a shorter answer, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
  },
  refusal: { hint: "Change the prompt." },
  max_turns: { hint: "Raise --max-turns." },
  max_budget: { hint: "Raise --budget." },
  structured_output: { hint: "Simplify the schema or the task." },
  session_not_found: {
    hint: "`hawser sessions --all` lists all sessions. A session belongs to the folder where it began; `hawser sessions resume` continues it there.",
  },
  session_in_use: { hint: "Continue it with --resume." },
  mcp_failed: { hint: "Correct the server in the --mcp file." },
  pool_closed: { hint: "Start the command again." },
  pool_full: { hint: "Try again later." },
  budget_refused: { hint: "Raise --budget." },
  approval_expired: { hint: "Answer sooner." },
  storage_failed: { hint: "The operating system reported an error; the message says why." },
  run_cancelled: { hint: "Submit it again if it is still wanted." },
  lease_lost: { hint: "Another host continues the session." },
  host_lost: { hint: "Find out why the hosts ended, then try it again with `hawser runs retry`." },
  database_unavailable: {
    hint: "Check --database or HAWSER_DATABASE, and that the database runs.",
  },
  embedded_unavailable: {
    hint: "Install Postgres, or name the URL of a database with --database.",
  },
};
