/** Milliseconds; `Infinity` is no limit. */
export interface TimeoutOptions {
  /** From the start to the CLI's answer to initialize. */
  readonly bootMs?: number;
  /** From the prompt to the first message of the turn. */
  readonly firstMessageMs?: number;
  /** Between two messages, while no tool and no approval is pending. */
  readonly idleMs?: number;
  /** Over everything. */
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
