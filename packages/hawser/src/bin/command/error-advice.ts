import type { ErrorCode } from "../../base/index.js";

interface Advice {
  readonly hint: string;
  /** What `hawser doctor` can add. The doctor itself leaves it out. */
  readonly doctor?: string;
}

/** What a person can do about each failure, used where the error has no more exact hint. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  cli_not_found: {
    hint: "Install it with `npm install -g @anthropic-ai/claude-code`, or name it by --cli or HAWSER_CLI.",
    doctor: "`hawser doctor` says where it was looked for.",
  },
  cli_not_runnable: {
    hint: "Check that the file is the CLI, and executable on this platform; install the CLI again if it is a stub.",
    doctor: "`hawser doctor` says what is there.",
  },
  unsupported_by_cli: {
    hint: "Update the CLI with `claude update` or npm, or leave out the option that is named.",
  },
  not_supported: { hint: "See `hawser --help` for what there is." },
  invalid_options: { hint: "See `hawser --help` for the options and their values." },
  argument_too_long: {
    hint: "Shorten the value of the option; a prompt may be of any length.",
  },
  cwd_not_found: { hint: "Create the folder, or correct --cwd." },
  root_refused: {
    hint: "Choose another --mode, or run it as another user; in a container that is a sandbox, set IS_SANDBOX=1.",
  },
  nested_session: { hint: "Unset CLAUDECODE." },
  spawn_failed: {
    hint: "The operating system did not start the process; the message says why.",
    doctor: "`hawser doctor` looks at folders, disks and limits.",
  },
  process_exited: { hint: "Try again.", doctor: "`hawser doctor --live` makes one small call." },
  closed: { hint: "Start the command again." },
  already_consumed: { hint: "Start the command again." },
  protocol_error: {
    hint: "Set HAWSER_TRACE=file, run it again, and report the file with the CLI's version.",
  },
  message_too_large: { hint: "Ask for less at once." },
  control_error: { hint: "The message is the CLI's own." },
  timeout: {
    hint: "Try again; `hawser ask --timeout 20m` gives a call more time.",
    doctor: "`hawser doctor` looks for causes.",
  },
  aborted: { hint: "Nothing to do: you stopped it." },
  auth: {
    hint: "Run `claude` and log in, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN.",
    doctor: "`hawser doctor` says which credential is seen.",
  },
  billing: { hint: "Check the account's credit and its billing settings." },
  rate_limited: { hint: "Wait a minute, then try again." },
  usage_limit: { hint: "Wait until the limit is reset, or use another account." },
  overloaded: { hint: "Try again later." },
  api_error: {
    hint: "Check the network, the proxy and ANTHROPIC_BASE_URL, then try again.",
    doctor: "`hawser doctor` says what stands between the CLI and the model.",
  },
  model_not_found: { hint: "Correct --model." },
  prompt_too_long: {
    hint: "Shorten the prompt, or choose a model with a larger context by --model.",
  },
  max_output_tokens: {
    hint: "Ask for a shorter answer, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.",
  },
  refusal: { hint: "Change the prompt." },
  max_turns: { hint: "Raise --max-turns." },
  max_budget: { hint: "Raise --budget." },
  structured_output: { hint: "Simplify the schema or the task." },
  session_not_found: {
    hint: "`hawser sessions --all` lists the sessions. Each belongs to the folder that it was begun in: `hawser sessions resume` goes there.",
  },
  session_in_use: { hint: "Go on with it by --resume." },
  mcp_failed: { hint: "Correct the server in the file that --mcp names." },
  pool_closed: { hint: "Start the command again." },
  pool_full: { hint: "Try again later." },
  budget_refused: { hint: "Raise --budget." },
  storage_failed: { hint: "The operating system refused it; the message says why." },
};
