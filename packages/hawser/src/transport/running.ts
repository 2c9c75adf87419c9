import type { CliProcess, Prepared } from "../process/index.js";

/** A process that runs already, in place of one that is to be started. */
export interface Running {
  readonly process: CliProcess;
  /** On whose behalf it works from now on. */
  readonly prepared: Prepared;
}
