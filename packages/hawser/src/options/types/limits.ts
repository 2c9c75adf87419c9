/**
 * Time limits in milliseconds; `Infinity` is no limit. A call or turn that reaches a limit fails
 * with `timeout`, and `phase` names the limit.
 */
export interface TimeoutOptions {
  /**
   * From the start of the process to the CLI's answer to initialize.
   * @default 60_000
   */
  readonly bootMs?: number | undefined;
  /**
   * From the prompt to the first message of the model.
   * @default 120_000
   */
  readonly firstMessageMs?: number | undefined;
  /**
   * Between two later messages, while no tool runs and no approval is pending.
   * @default 300_000
   */
  readonly idleMs?: number | undefined;
  /**
   * For the whole call, or for one turn of a session.
   * @default 600_000 for complete(), Infinity for openSession()
   */
  readonly totalMs?: number | undefined;
}

/**
 * When `complete()` and `stream()` make a failed call again, in a new process, and how often the
 * CLI itself repeats a request to the API.
 */
export interface RetryOptions {
  /**
   * How many times a call is made again that failed with a retryable error. `stream()` does not
   * retry after your program has read text from it.
   * @default 0
   */
  readonly attempts?: number | undefined;
  /**
   * The longest pause before the first retry, in milliseconds. It doubles with each retry, and the
   * actual pause is a random part of it.
   * @default 1_000
   */
  readonly baseMs?: number | undefined;
  /**
   * The longest pause before any retry, in milliseconds. If the API asks for a longer pause
   * (`retryAfterMs`), the retry waits that long.
   * @default 30_000
   */
  readonly maxMs?: number | undefined;
  /**
   * No retry starts later than this after the start of the call, in milliseconds.
   * @default `timeouts.totalMs`
   */
  readonly budgetMs?: number | undefined;
  /**
   * Retries even if a tool has run that may have changed something.
   * @default false
   */
  readonly afterTools?: boolean | undefined;
  /**
   * How many times the CLI itself repeats a request to the API. The variable
   * CLAUDE_CODE_MAX_RETRIES overrides the default.
   * @default 1, or 2 with `fallbackModel`; 10 for query()
   */
  readonly cliRetries?: number | undefined;
  /**
   * How long the CLI itself waits for the API's answer to one request, in milliseconds.
   * @default the CLI's own choice
   */
  readonly apiTimeoutMs?: number | undefined;
}

/** How a call that reached `maxTurns` is continued. */
export interface AutoResumeOptions {
  /** How many times the call is continued at most. */
  readonly times: number;
  /**
   * Pause before each continuation, in milliseconds.
   * @default 0
   */
  readonly waitMs?: number | undefined;
  /**
   * The prompt of each continuation.
   * @default "Go on where you stopped."
   */
  readonly prompt?: string | undefined;
}

/** Options of one control request to the CLI. */
export interface RequestOptions {
  /**
   * How long to wait for the answer, in milliseconds. After that the request fails with `timeout`.
   * @default 60_000
   */
  readonly timeoutMs?: number | undefined;
  /** Aborting it ends the wait for the answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether the wait keeps your program alive.
   * @default true
   */
  readonly holds?: boolean | undefined;
}
