import {
  type ApprovalAnsweredEvent,
  type ApprovalRequestedEvent,
  CHANNELS,
  eventTime,
  publish,
} from "../../base/index.js";
import type { Approval } from "./approval.js";
import type { ApprovalRecord } from "./approval-record.js";

export function publishAsked(approval: Approval): void {
  publish(CHANNELS.approvalRequested, () => {
    const input = approval.kind === "elicitation" ? approval.requestedSchema : approval.input;
    return { ...factsOf(approval), input };
  });
}

export function publishSettled(approval: Approval, record: ApprovalRecord, ms: number): void {
  publish(CHANNELS.approvalAnswered, () => {
    return { ...factsOf(approval), outcome: outcomeOf(record), by: record.by, ms };
  });
}

function factsOf(approval: Approval): Omit<ApprovalRequestedEvent, "input"> {
  const { id, kind, sessionId } = approval;
  const { toolUseId, tool } = approval.kind === "elicitation" ? NO_CALL : approval;
  return { at: eventTime(), approval: id, session: undefined, sessionId, toolUseId, tool, kind };
}

const NO_CALL = { toolUseId: undefined, tool: undefined };

function outcomeOf({ outcome, decision }: ApprovalRecord): ApprovalAnsweredEvent["outcome"] {
  if (outcome === "expired" || outcome === "granted" || outcome === "withdrawn") return outcome;
  return POSITIVE.has(decision?.behavior) ? "allow" : "deny";
}

const POSITIVE: ReadonlySet<string | undefined> = new Set(["allow", "answer", "accept"]);
