import type { AnyCompleteOptions } from "../complete/index.js";

/** One seat of a council. */
export interface Reviewer {
  /** The name in reports: one line of at most 100 characters. No two reviewers of a council have the same name. */
  readonly name: string;
  /** What the reviewer looks at, and how. */
  readonly systemPrompt: string;
  /** @default the CLI's own model */
  readonly model?: string | undefined;
  /**
   * The tools that it may use, such as `Read` and `Grep`, without further questions. `Read`, `Grep` and `Glob` read only
   * in `cwd` of the council's `options`. Other tools are not limited: `Bash` runs any command.
   * @default none
   */
  readonly tools?: readonly string[] | undefined;
  /**
   * What its vote counts in the rule `weighted`.
   * @default 1
   */
  readonly weight?: number | undefined;
  /** Options of its calls, beside those of the council. A `signal` in it ends this reviewer alone. */
  readonly options?: ReviewerOptions | undefined;
}

/** The options of calls that a council does not set itself. */
export type ReviewerOptions = Omit<
  AnyCompleteOptions,
  | "schema"
  | "outputFormat"
  | "systemPrompt"
  | "history"
  | "clientTools"
  | "toolChoice"
  | "abortController"
  | "maxRepairs"
>;
