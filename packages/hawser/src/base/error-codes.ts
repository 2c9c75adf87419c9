export type ErrorCode =
  | "cli_not_found"
  | "cli_not_runnable"
  | "unsupported_by_cli"
  | "not_supported"
  | "invalid_options"
  | "argument_too_long"
  | "cwd_not_found"
  | "root_refused"
  | "nested_session"
  | "spawn_failed"
  | "process_exited"
  | "closed"
  | "already_consumed"
  | "protocol_error"
  | "message_too_large"
  | "control_error"
  | "timeout"
  | "aborted"
  | "auth"
  | "billing"
  | "rate_limited"
  | "usage_limit"
  | "overloaded"
  | "api_error"
  | "model_not_found"
  | "prompt_too_long"
  | "max_output_tokens"
  | "refusal"
  | "max_turns"
  | "max_budget"
  | "structured_output"
  | "session_not_found"
  | "session_in_use"
  | "mcp_failed"
  | "pool_closed"
  | "pool_full"
  | "budget_refused"
  | "storage_failed";

export interface ErrorRow {
  /** What happened, when the place that throws knows nothing more exact. */
  readonly sentence: string;
  /** What the reader can do about it. */
  readonly hint: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  readonly httpStatus: number;
  /** Exit code of the `hawser` command; sysexits(3) where one fits. */
  readonly exitCode: number;
}

/** The one table that retry, the gateway, the queue and the command read. */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorRow>> = {
  cli_not_found: row(
    "The Claude Code CLI was not found.",
    "Install it with `npm install -g @anthropic-ai/claude-code`, or set `cliPath` or HAWSER_CLI; `npx hawser doctor` says where it was looked for.",
    { status: 503, exit: 127 },
  ),
  cli_not_runnable: row(
    "The Claude Code CLI was found but cannot be run.",
    "Check that the path is the CLI, executable on this platform; reinstall it if it is a stub. `npx hawser doctor` says what is there.",
    { status: 503, exit: 126 },
  ),
  unsupported_by_cli: row(
    "The installed Claude Code CLI is too old for an option in use.",
    "Update the CLI, drop the option, or set `onOldCli`.",
    { status: 501, exit: 69 },
  ),
  not_supported: row(
    "This is not supported by hawser.",
    "See the documentation for what to use instead.",
    { status: 501, exit: 69 },
  ),
  invalid_options: row("The options are not valid.", "Correct the option that is named.", {
    status: 400,
    exit: 64,
  }),
  argument_too_long: row(
    "An argument is too long for the command line.",
    "Shorten the option that is named; prompts, schemas, rules and servers have no such limit.",
    { status: 413, exit: 64 },
  ),
  cwd_not_found: row(
    "The working directory does not exist.",
    "Create the directory or correct `cwd`.",
    { status: 400, exit: 66 },
  ),
  root_refused: row(
    "The CLI refuses to skip permissions when it runs as root.",
    "Use another `permissionMode` or another `user`; in a container that is a sandbox, set IS_SANDBOX=1 in `env`.",
    { status: 403, exit: 77 },
  ),
  nested_session: row(
    "This program already runs inside a Claude Code session.",
    'Choose `nested: "strip"` to start the CLI all the same, or unset CLAUDECODE.',
    { status: 409, exit: 64 },
  ),
  spawn_failed: row(
    "The CLI process could not be started.",
    "Look at the cause: the operating system refused to start the process.",
    { status: 503, exit: 71, retryable: true },
  ),
  process_exited: row(
    "The CLI process ended before it answered.",
    "Look at `exitCode`, `signal` and `stderrTail`.",
    { status: 502, exit: 70, retryable: true },
  ),
  closed: row("The line to the CLI is closed.", "Open a new one.", { status: 503, exit: 70 }),
  already_consumed: row(
    "These messages are already being read, or were read.",
    "Read them in one place; start a new call for new messages.",
    { status: 409, exit: 70 },
  ),
  protocol_error: row(
    "The CLI sent something that the protocol does not allow.",
    "Set HAWSER_TRACE=file, run it again, and report the file with the CLI's version.",
    { status: 502, exit: 76 },
  ),
  message_too_large: row(
    "One message of the CLI is longer than `maxLineBytes`.",
    "Raise `maxLineBytes`; the other messages are not affected.",
    { status: 502, exit: 76 },
  ),
  control_error: row(
    "The CLI refused a control request.",
    "Read the message: it is the CLI's own.",
    { status: 502, exit: 70 },
  ),
  timeout: row("The time limit was reached.", "Raise the limit of the phase that is named.", {
    status: 504,
    exit: 124,
    retryable: true,
  }),
  aborted: row("The call was aborted.", "Nothing to do: the caller asked for it.", {
    status: 499,
    exit: 130,
  }),
  auth: row(
    "The CLI is not logged in, or its credential was refused.",
    "Run `claude` and log in, or pass `apiKey` or `oauthToken`; `npx hawser doctor` says which credential is seen.",
    { status: 401, exit: 77 },
  ),
  billing: row(
    "The account cannot pay for this call.",
    "Check the account's credit and its billing settings.",
    { status: 402, exit: 77 },
  ),
  rate_limited: row(
    "The API's rate limit was reached.",
    "Wait, for `retryAfterMs` if that is known, then retry.",
    {
      status: 429,
      exit: 75,
      retryable: true,
    },
  ),
  usage_limit: row(
    "The usage limit of the plan was reached.",
    "Wait until `resetsAt`, or use another credential.",
    { status: 429, exit: 75 },
  ),
  overloaded: row("The API is overloaded.", "Retry later, or set `fallbackModel`.", {
    status: 529,
    exit: 75,
    retryable: true,
  }),
  api_error: row("The API answered with an error.", "Look at `apiStatus` and the message.", {
    status: 502,
    exit: 69,
    retryable: true,
  }),
  model_not_found: row(
    "The model does not exist, or this account may not use it.",
    "Correct `model`.",
    { status: 404, exit: 64 },
  ),
  prompt_too_long: row(
    "The prompt is longer than the model's context.",
    "Shorten the prompt or use a model with a larger context.",
    { status: 413, exit: 65 },
  ),
  max_output_tokens: row(
    "The answer reached the limit of output tokens.",
    "Ask for a shorter answer, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS in `env`.",
    { status: 422, exit: 65 },
  ),
  refusal: row("The model refused to answer.", "Change the prompt.", { status: 422, exit: 65 }),
  max_turns: row(
    "The limit of turns was reached before the value was given.",
    "Raise `maxTurns` or set `autoResume`.",
    { status: 422, exit: 65 },
  ),
  max_budget: row("The budget was spent before the value was given.", "Raise `maxBudgetUsd`.", {
    status: 402,
    exit: 65,
  }),
  structured_output: row(
    "The answer does not fit the schema.",
    "Look at `issues` and `partialText`; simplify the schema or the task.",
    { status: 422, exit: 65 },
  ),
  session_not_found: row(
    "There is no such session to resume.",
    "Check the id, `cwd` and `configDir`: sessions belong to a directory, and `listSessions()` names them. `complete()` keeps one only with `persistSession: true`.",
    { status: 404, exit: 66 },
  ),
  session_in_use: row(
    "A session with this id exists already.",
    "Use `resume` to go on with it, or another `sessionId`.",
    { status: 409, exit: 64 },
  ),
  mcp_failed: row("A required MCP server did not start.", "Look at `issues` for its own error.", {
    status: 502,
    exit: 69,
  }),
  pool_closed: row("The pool is closed.", "Create a new pool.", { status: 503, exit: 70 }),
  pool_full: row("The pool's queue is full.", "Retry later, or raise `queueLimit`.", {
    status: 429,
    exit: 75,
    retryable: true,
  }),
  budget_refused: row(
    "The call was refused, since the budget of the pool or tenant is spent.",
    "Raise `budgetUsd`.",
    { status: 402, exit: 75 },
  ),
  storage_failed: row(
    "A transcript could not be read or written.",
    "Look at the cause: the operating system refused it.",
    { status: 503, exit: 74 },
  ),
};

interface Numbers {
  readonly status: number;
  readonly exit: number;
  readonly retryable?: boolean;
}

function row(sentence: string, hint: string, numbers: Numbers): ErrorRow {
  return {
    sentence,
    hint,
    retryable: numbers.retryable ?? false,
    httpStatus: numbers.status,
    exitCode: numbers.exit,
  };
}
