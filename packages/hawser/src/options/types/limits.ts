/** Milliseconds; `Infinity` is no limit. */
export interface TimeoutOptions {
  /** From the start to the CLI's answer to initialize; 60,000 unless given. */
  readonly bootMs?: number | undefined;
  /** From the prompt to the first word of the model; 120,000 unless given. */
  readonly firstMessageMs?: number | undefined;
  /** After that, between two messages while no tool and no approval is pending; 300,000. */
  readonly idleMs?: number | undefined;
  /** Over everything: 600,000 for `complete()`, no limit for a turn of a session. */
  readonly totalMs?: number | undefined;
}

/** Which calls that failed are made again, and how: by us in a new process, and by the CLI in its own. */
export interface RetryOptions {
  /**
   * How often at most `complete()` makes a call anew that failed with a retryable code; 0 unless
   * given. `stream()` does not once text was read of it.
   */
  readonly attempts?: number | undefined;
  /**
   * The pause before the first new attempt is up to this long, 1,000 unless given; before each
   * further one up to twice as long as before. The exact length is random.
   */
  readonly baseMs?: number | undefined;
  /** The longest pause; 30,000 unless given. An API that asks for more time gets it. */
  readonly maxMs?: number | undefined;
  /** No new attempt begins after this time; the limit of the whole call unless given. */
  readonly budgetMs?: number | undefined;
  /** Make a call anew even though a tool has run that may have changed something; false. */
  readonly afterTools?: boolean | undefined;
  /** How often the CLI itself repeats a request to the API; 1 unless given. */
  readonly cliRetries?: number | undefined;
  /** How long the CLI itself waits for the API's answer to one request; its own choice. */
  readonly apiTimeoutMs?: number | undefined;
}

/** What a call does that has reached `maxTurns`. */
export interface AutoResumeOptions {
  /** How often it goes on. */
  readonly times: number;
  /** Pause before it goes on; none unless given. */
  readonly waitMs?: number | undefined;
  /** What the model is told then; "Go on where you stopped." unless given. */
  readonly prompt?: string | undefined;
}

/** How long the answer to one control request is waited for. */
export interface RequestOptions {
  /** Milliseconds until the wait for the answer ends in `timeout`; 60,000 unless given. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether the program is kept alive for the answer; true unless given. */
  readonly holds?: boolean | undefined;
}
