/** Milliseconds; `Infinity` is no limit. */
export interface TimeoutOptions {
  /** From the start to the CLI's answer to initialize; 60,000 unless given. */
  readonly bootMs?: number;
  /** From the prompt to the first word of the model; 120,000 unless given. */
  readonly firstMessageMs?: number;
  /** After that, between two messages while no tool and no approval is pending; 300,000. */
  readonly idleMs?: number;
  /** Over everything: 600,000 for `complete()`, no limit for a turn of a session. */
  readonly totalMs?: number;
}

export interface RetryOptions {
  /** How often a call that failed with a retryable code is made anew; 0 unless given. */
  readonly attempts?: number;
  /** How often the CLI itself repeats a request to the API; 1 unless given. */
  readonly cliRetries?: number;
  /** The pause before the first new attempt; it doubles with each, up to `maxMs`. */
  readonly baseMs?: number;
  readonly maxMs?: number;
  /** The time that all attempts together may take. */
  readonly budgetMs?: number;
}
