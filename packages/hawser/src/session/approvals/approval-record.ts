import { omitUndefined } from "../../base/index.js";
import type { Approval } from "./approval.js";
import type { ApprovalDecision } from "./approval-decision.js";
import { isEdited } from "./check-decision.js";

/**
 * How a question ended.
 *
 * - `answered`: `answer()` was the first.
 * - `expired`: no answer came within `ttlMs`.
 * - `granted`: an earlier answer with `scope: "session"` allowed the call, so no question was asked.
 * - `withdrawn`: the CLI waits no more, because the turn was interrupted or the process has ended.
 * - `closed`: the `Approvals` object was closed.
 */
export type ApprovalOutcome = "answered" | "expired" | "granted" | "withdrawn" | "closed";

/**
 * The audit record of one question: who answered what, and when. Plain data.
 *
 * @example
 * ```ts
 * for (const { settledAt, by, summary, decision } of approvals.records()) {
 *   console.log(settledAt, by ?? "nobody", decision?.behavior ?? "withdrawn", summary);
 * }
 * ```
 */
export interface ApprovalRecord {
  /** The id of the question. */
  readonly id: string;
  readonly kind: Approval["kind"];
  readonly outcome: ApprovalOutcome;
  /** The decision that the CLI got; absent if the question was withdrawn. */
  readonly decision?: ApprovalDecision;
  /** Who answered, as given to `answer()`. For `granted`: who gave the grant. */
  readonly by?: string;
  /** For `granted`: the id of the question whose answer allowed the call. */
  readonly grantedBy?: string;
  /** Whether the tool got another input than the model wrote. */
  readonly edited: boolean;
  /** `approval_expired` if the question expired. */
  readonly code?: "approval_expired";
  readonly summary: string;
  readonly sessionId?: string;
  readonly tool?: string;
  readonly toolUseId?: string;
  readonly agentId?: string;
  /** The MCP server that asked, if one did. */
  readonly server?: string;
  /** When the question was asked, as an ISO 8601 time. */
  readonly askedAt: string;
  /** When the question ended, as an ISO 8601 time. */
  readonly settledAt: string;
}

/**
 * What an iteration over an `Approvals` object yields. Plain data.
 *
 * @example
 * ```ts
 * const open = new Map<string, Approval>();
 * for await (const change of approvals) {
 *   if (change.type === "asked") open.set(change.approval.id, change.approval);
 *   else if (change.type !== "missed") open.delete(change.id);
 * }
 * ```
 */
export type ApprovalChange =
  /** A question waits for an answer. */
  | { readonly type: "asked"; readonly approval: Approval }
  /** A question waits no more, or was never asked because of a grant. */
  | { readonly type: ApprovalOutcome; readonly id: string; readonly record: ApprovalRecord }
  /** The reader was too slow, and so many changes were dropped. `pending()` tells what is open now. */
  | { readonly type: "missed"; readonly count: number };

/** What an audit record says about the end of a question. */
export type ApprovalEnding = Pick<ApprovalRecord, "outcome" | "settledAt"> & {
  readonly [Key in "decision" | "by" | "grantedBy" | "code"]?: ApprovalRecord[Key] | undefined;
};

/**
 * The audit record of a question that has ended. For programs that keep questions in a place of their own;
 * `createApprovals()` makes its records in this way.
 *
 * @example
 * ```ts
 * const settledAt = new Date().toISOString();
 * const record = approvalRecord(approval, { outcome: "answered", decision, by: "ada", settledAt });
 * ```
 */
export function approvalRecord(approval: Approval, ending: ApprovalEnding): ApprovalRecord {
  const { id, kind, summary, sessionId, askedAt } = approval;
  const { outcome, settledAt, decision, by, grantedBy, code } = ending;
  const call = approval.kind === "elicitation" ? undefined : approval;
  return {
    id,
    kind,
    outcome,
    edited: isEdited(approval, decision),
    summary,
    askedAt,
    settledAt,
    ...omitUndefined({
      decision,
      by,
      grantedBy,
      code,
      sessionId,
      tool: call?.tool,
      toolUseId: call?.toolUseId,
      agentId: call?.agentId,
      server: approval.kind === "elicitation" ? approval.server : undefined,
    }),
  };
}
