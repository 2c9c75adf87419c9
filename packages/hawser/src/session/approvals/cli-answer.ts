import type { ElicitationResult, PermissionResult } from "../../wire/index.js";
import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";

/**
 * What `canUseTool` returns for a decision.
 *
 * @example
 * ```ts
 * const canUseTool: CanUseTool = async (tool, input, context) => {
 *   const approval = describeCall(tool, input, context, { id: randomUUID(), askedAt });
 *   return permissionResult(approval, await decide(approval));
 * };
 * ```
 */
export function permissionResult(approval: Approval, decision: ApprovalDecision): PermissionResult {
  if (decision.behavior === "answer" && approval.kind === "question") {
    const entries = Object.entries(decision.answers).map(([question, answer]) => {
      return [question, typeof answer === "string" ? answer : answer.join(", ")];
    });
    const answers: unknown = Object.fromEntries(entries);
    return { behavior: "allow", updatedInput: { ...approval.input, answers } };
  }
  if (decision.behavior === "allow") {
    const { updatedInput, scope } = decision;
    const grant = approval.kind === "tool" ? approval.sessionGrant : undefined;
    const updates = scope === "session" ? (grant?.updates ?? []) : [];
    return {
      behavior: "allow",
      ...(updatedInput === undefined ? {} : { updatedInput: { ...updatedInput } }),
      ...(updates.length === 0 ? {} : { updatedPermissions: [...updates] }),
    };
  }
  const { message = DENIED, interrupt } = decision.behavior === "deny" ? decision : {};
  return { behavior: "deny", message, ...(interrupt === undefined ? {} : { interrupt }) };
}

/** What `onElicitation` returns for a decision. */
export function elicitationResult(decision: ApprovalDecision): ElicitationResult {
  if (decision.behavior === "accept") {
    const { content } = decision;
    return { action: "accept", ...(content === undefined ? {} : { content: { ...content } }) };
  }
  return { action: decision.behavior === "decline" ? "decline" : "cancel" };
}

const DENIED = "The person who was asked denied this.";
