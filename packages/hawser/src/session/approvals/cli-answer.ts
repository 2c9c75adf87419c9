import type { ElicitationResult, PermissionResult } from "../../wire/index.js";
import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";

/** The answer to `can_use_tool` that a decision means. */
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

/** The answer to an elicitation that a decision means. */
export function elicitationResult(decision: ApprovalDecision): ElicitationResult {
  if (decision.behavior === "accept") {
    const { content } = decision;
    return { action: "accept", ...(content === undefined ? {} : { content: { ...content } }) };
  }
  return { action: decision.behavior === "decline" ? "decline" : "cancel" };
}

const DENIED = "The person who was asked denied this.";
