import type { Options } from "../options/index.js";
import type { JsonSchema, StandardSchema } from "../schema/index.js";
import type { Reviewer, ReviewerOptions } from "./reviewer.js";
import type { Rule } from "./rules/rule.js";
import type { RuleName } from "./rules/rule-name.js";

/** The options of `council()`. */
export interface CouncilOptions {
  /** The seats of the council. */
  readonly reviewers: readonly Reviewer[];
  /** The text that they judge, at most 4 MiB. It is data: what it says is not obeyed. */
  readonly subject: string;
  /**
   * What the reviewers are asked about the subject.
   * @default "Judge whether this should be accepted."
   */
  readonly task?: string | undefined;
  /**
   * A schema for a further value that every vote must have: `details` of the vote.
   * @default votes have no details
   */
  readonly schema?: StandardSchema | JsonSchema | undefined;
  /**
   * How the votes become one verdict: a name, or a function such as `veto()`, `weighted({ threshold })` or your own.
   * @default "majority"
   */
  readonly rule?: RuleName | Rule | undefined;
  /**
   * How many reviewers must vote. With fewer, there is no verdict. Abstentions do not count.
   * @default more than half, and at least two if there are two
   */
  readonly quorum?: number | undefined;
  /**
   * With 2, the reviewers vote again after they have read the votes of the others. A reviewer that fails then keeps its
   * first vote. Without two votes in the first round there is no second one.
   * @default 1
   */
  readonly rounds?: 1 | 2 | undefined;
  /**
   * A pool for the calls, so that warm processes answer: what `createPool()` returns. It stays open.
   * @default each call starts a process, and ends it
   */
  readonly pool?: object | undefined;
  readonly timeouts?: CouncilTimeouts | undefined;
  /** How calls are repeated after failures of the API, as in `complete()`. */
  readonly retry?: Options["retry"];
  /**
   * How often a reviewer whose answer is no vote may try again.
   * @default 1
   */
  readonly maxRepairs?: number | undefined;
  /** Options of all calls, such as `cliPath`, `cwd` or `maxBudgetUsd`. */
  readonly options?: ReviewerOptions | undefined;
  /**
   * Ends all reviews. Reviewers without a vote are absent, with the error `aborted`. The votes that are there count: if
   * they are as many as the quorum, there is a verdict.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The time limits of a council. */
export interface CouncilTimeouts {
  /**
   * How long one reviewer may take for one round, in milliseconds: the time in the queue of a pool, and repetitions,
   * included.
   * @default 300_000
   */
  readonly reviewerMs?: number | undefined;
}
