import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";
import type { ApprovalRecord } from "./approval-record.js";

/** The options of `createApprovals()`. */
export interface ApprovalsOptions {
  /**
   * How long a question waits for an answer, in milliseconds. The timer does not keep the program alive.
   * @default no limit: a question waits as long as the CLI does
   */
  ttlMs?: number | undefined;
  /**
   * What happens to a question that nobody has answered in time. `"deny"` denies a tool call, a plan or a
   * question of the model, and cancels the question of an MCP server. A function decides instead; if it
   * throws, takes longer than 30 seconds, or its decision does not fit, the question is denied. Its
   * decision can have `scope: "session"`, as in `answer()`.
   * @default "deny"
   */
  onExpire?:
    | "deny"
    | ((approval: Approval) => ApprovalDecision | Promise<ApprovalDecision>)
    | undefined;
  /**
   * Called with each audit record, at once. A place to store them.
   * @example
   * ```ts
   * const approvals = createApprovals({
   *   onRecord: (record) => appendFileSync("audit.jsonl", `${JSON.stringify(record)}\n`),
   * });
   * ```
   */
  onRecord?: ((record: ApprovalRecord) => void) | undefined;
  /**
   * How many audit records `records()` keeps, the newest ones.
   * @default 1000
   */
  recordLimit?: number | undefined;
  /**
   * How many changes wait for a slow reader. Then the oldest ones are dropped, and the reader gets a
   * change of the type `missed`.
   * @default 1000
   */
  readerLimit?: number | undefined;
}
