import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";

/**
 * The decision that refuses a question, whatever its kind: a call is denied with the message, and the
 * question of an MCP server is cancelled.
 *
 * @example
 * ```ts
 * const decision = refusalOf(approval, "Nobody is here to decide.");
 * ```
 */
export function refusalOf({ kind }: Approval, message: string): ApprovalDecision {
  return kind === "elicitation" ? { behavior: "cancel" } : { behavior: "deny", message };
}
