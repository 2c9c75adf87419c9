/** What went wrong. The codes are stable: branch on `error.code`, not on the message. */
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
  | "approval_expired"
  | "storage_failed"
  | "run_cancelled"
  | "lease_lost"
  | "host_lost"
  | "database_unavailable"
  | "embedded_unavailable";

/** What `ERROR_CODES` says about one code. */
export interface ErrorRow {
  /** What happened. An error with more to say has a message of its own. */
  readonly sentence: string;
  /** What to do about it. An error with better advice has a hint of its own. */
  readonly hint: string;
  /** Whether the same call may succeed later without any change. */
  readonly retryable: boolean;
  /** Status for a server that passes the error on to its client. */
  readonly httpStatus: number;
  /** Exit code of the `hawser` command, from sysexits(3) where a code of it fits. */
  readonly exitCode: number;
}

/**
 * Every error code with its sentence, its hint, whether a retry can help, and its HTTP status.
 *
 * @example
 * ```ts
 * if (isHawserError(error)) response.statusCode = ERROR_CODES[error.code].httpStatus;
 * ```
 */
export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorRow>> = {
  cli_not_found: row(
    "The Claude Code CLI was not found.",
    "Install it with `npm install -g @anthropic-ai/claude-code`, or set `cliPath` or HAWSER_CLI to its path.",
    { status: 503, exit: 127 },
  ),
  cli_not_runnable: row(
    "The Claude Code CLI was found but cannot be run.",
    "Check that `cliPath` is the file `claude` itself, for this platform, and that you may execute it. If it still fails, reinstall the CLI. `npx hawser doctor` shows what was found.",
    { status: 503, exit: 126 },
  ),
  unsupported_by_cli: row(
    "The installed Claude Code CLI is too old for an option in use.",
    'Update the CLI, leave the option out, or set `onOldCli` to "warn".',
    { status: 501, exit: 69 },
  ),
  not_supported: row(
    "Hawser does not support this.",
    "The documentation says what to use instead.",
    { status: 501, exit: 69 },
  ),
  invalid_options: row("An option is not valid.", "Correct the option that the message names.", {
    status: 400,
    exit: 64,
  }),
  argument_too_long: row(
    "An argument is too long for the command line.",
    "Shorten the option that the message names. Prompts, schemas, rules and servers have no such limit.",
    { status: 413, exit: 64 },
  ),
  cwd_not_found: row(
    "The working directory does not exist.",
    "Create the directory, or set `cwd` to a directory that exists.",
    { status: 400, exit: 66 },
  ),
  root_refused: row(
    "The CLI refuses to skip permissions when it runs as root.",
    "Use another `permissionMode`, or run the CLI as another `user`. In a container that is a sandbox, set IS_SANDBOX=1 in `env`.",
    { status: 403, exit: 77 },
  ),
  nested_session: row(
    "This program already runs inside a Claude Code session.",
    'Set `nested: "strip"` to start the CLI anyway, or unset CLAUDECODE.',
    { status: 409, exit: 64 },
  ),
  spawn_failed: row(
    "The CLI process could not be started.",
    "Look at `cause`: it says why the process was not started.",
    { status: 503, exit: 71, retryable: true },
  ),
  process_exited: row(
    "The CLI process ended before it answered.",
    "Look at `exitCode`, `signal` and `stderrTail` for the reason.",
    { status: 502, exit: 70, retryable: true },
  ),
  closed: row("The connection to the CLI is closed.", "Open a new one.", { status: 503, exit: 70 }),
  already_consumed: row(
    "A stream can be read only once, and this one is being read or was read already.",
    "Keep what you read in a variable. The whole answer is in `completion` of a call, and in `text()` and `result` of a turn.",
    { status: 409, exit: 70 },
  ),
  protocol_error: row(
    "The CLI sent something that its protocol does not allow.",
    "Set HAWSER_TRACE to the path of a new file, run the program again, and report the file with the CLI's version.",
    { status: 502, exit: 76 },
  ),
  message_too_large: row(
    "A message from the CLI is longer than `maxLineBytes`.",
    "Raise `maxLineBytes`. The other messages are not affected.",
    { status: 502, exit: 76 },
  ),
  control_error: row("The CLI refused a control request.", "The message is the CLI's own answer.", {
    status: 502,
    exit: 70,
  }),
  timeout: row(
    "A time limit was reached.",
    "Raise the limit in `timeouts` that belongs to `phase`: `bootMs`, `firstMessageMs`, `idleMs` or `totalMs`.",
    { status: 504, exit: 124, retryable: true },
  ),
  aborted: row("The call was aborted.", "Nothing to do: your program asked for it.", {
    status: 499,
    exit: 130,
  }),
  auth: row(
    "The CLI is not logged in, or its credential was refused.",
    "Run `claude` and log in, or pass `apiKey` or `oauthToken`. `npx hawser doctor` shows which credential is in use.",
    { status: 401, exit: 77 },
  ),
  billing: row(
    "The account cannot pay for this call.",
    "Check the account's credit and its billing settings.",
    { status: 402, exit: 77 },
  ),
  rate_limited: row(
    "The API's rate limit was reached.",
    "Wait, then retry. If `retryAfterMs` is set, wait that long.",
    {
      status: 429,
      exit: 75,
      retryable: true,
    },
  ),
  usage_limit: row(
    "The plan's usage limit was reached.",
    "Wait until `resetsAt`, or use another credential.",
    { status: 429, exit: 75 },
  ),
  overloaded: row("The API is overloaded.", "Retry later, or set `fallbackModel`.", {
    status: 529,
    exit: 75,
    retryable: true,
  }),
  api_error: row("The API answered with an error.", "The message and `apiStatus` say why.", {
    status: 502,
    exit: 69,
    retryable: true,
  }),
  model_not_found: row(
    "The model does not exist, or this account may not use it.",
    "Set `model` to a model that this account can use.",
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
    "The call reached `maxTurns` before the model gave the value that the schema asks for.",
    "Raise `maxTurns` or set `autoResume`.",
    { status: 422, exit: 65 },
  ),
  max_budget: row(
    "The call reached `maxBudgetUsd` before the model gave the value that the schema asks for.",
    "Raise `maxBudgetUsd`.",
    { status: 402, exit: 65 },
  ),
  structured_output: row(
    "The answer does not match the schema.",
    "Look at `issues` and `partialText`, then simplify the schema or the task.",
    { status: 422, exit: 65 },
  ),
  session_not_found: row(
    "The session to resume does not exist.",
    "Check the id, `cwd` and `configDir`: a session belongs to one directory, and `listSessions()` lists the sessions there. `complete()` keeps a session only with `persistSession: true`.",
    { status: 404, exit: 66 },
  ),
  session_in_use: row(
    "A session with this id already exists.",
    "Use `resume` to continue it, or choose another `sessionId`.",
    { status: 409, exit: 64 },
  ),
  mcp_failed: row(
    "A required MCP server did not start.",
    "Look at `issues` for the server's own error.",
    {
      status: 502,
      exit: 69,
    },
  ),
  pool_closed: row(
    "The pool is closed.",
    "Await all calls before `close()`, or create a new pool.",
    { status: 503, exit: 70 },
  ),
  pool_full: row("The pool's queue is full.", "Retry later, or raise `queueLimit`.", {
    status: 429,
    exit: 75,
    retryable: true,
  }),
  budget_refused: row(
    "The budget of the pool or tenant is spent, so the call was refused.",
    "Raise `budgetUsd`.",
    { status: 402, exit: 75 },
  ),
  approval_expired: row(
    "Nobody answered a request for approval in time, so it was denied.",
    "Answer sooner, or raise `ttlMs` of `createApprovals()`.",
    { status: 408, exit: 77 },
  ),
  storage_failed: row(
    "A transcript could not be read or written.",
    "Look at `cause`: it is the operating system's error.",
    { status: 503, exit: 74 },
  ),
  run_cancelled: row("The run was cancelled.", "Submit it again if it is still wanted.", {
    status: 409,
    exit: 130,
  }),
  lease_lost: row(
    "This host no longer holds the lease of the session, so nothing more is written here.",
    "Nothing to do if another host continues the session. Otherwise take the session again, and resume it.",
    { status: 409, exit: 75 },
  ),
  host_lost: row(
    "The hosts that worked on the run were lost, and it has no attempts left.",
    "Find out why the hosts ended, then retry the run or raise its `attempts`.",
    { status: 502, exit: 70 },
  ),
  database_unavailable: row(
    "The database cannot be reached.",
    "Look at `cause`: it is the error of the database client.",
    { status: 503, exit: 69, retryable: true },
  ),
  embedded_unavailable: row(
    "The embedded database cannot be started on this machine.",
    "Install Postgres, or pass the URL of a database.",
    { status: 503, exit: 69 },
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
