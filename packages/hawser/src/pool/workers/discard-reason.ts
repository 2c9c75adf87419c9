/** Why a pool ended one of its processes. `stats().processes.discarded` counts them by these codes. */
export type DiscardReason =
  /** The process did not start, or failed before it could answer. The log has the error. */
  | "start_failed"
  /** The process was ready, but failed when a call wanted to use it. */
  | "failed_when_needed"
  /** The process exited, or closed its output, while it was idle. */
  | "exited"
  /** The process did not answer while it was idle. */
  | "unresponsive"
  /** The process wrote output while it was idle, so its state is not known. */
  | "unexpected_output"
  /**
   * The process served a call and must not serve another, by `isolation`, by the call's options or by the
   * CLI's version.
   */
  | "not_recyclable"
  /**
   * The call failed without a result, so the process may still be busy with it. The log has the error's
   * code.
   */
  | "call_failed"
  /** The CLI stopped the call at its `maxBudgetUsd`. Older CLIs serve no further call after that. */
  | "budget_spent"
  /** The CLI did not restart its cost totals after a reset, as `maxBudgetUsd` needs. */
  | "budget_not_reset"
  /** The CLI did not confirm that it forgot the conversation. The log has the details. */
  | "reset_failed"
  /** The session that used the process was garbage-collected before it was closed. */
  | "session_forgotten"
  /** The process has served `maxJobs` calls. */
  | "max_jobs"
  /** The process is older than `maxAgeMs`. */
  | "max_age"
  /** The process uses more memory than `maxRssMb`. */
  | "max_rss"
  /** No call needed the process for `idleMs`. */
  | "idle"
  /** The pool was full, and a call that the process cannot serve needed its place. */
  | "evicted_for_call"
  /** The pool was full, and a spare for options that were used more recently got its place. */
  | "evicted_for_spare"
  /** The pool was closed. */
  | "pool_closed";
