import { type Approval, type ApprovalDecision, approvalRecord } from "hawser";
import type { FleetApproval, FleetApprovalRecord } from "./fleet-approvals.js";

export type QuestionState = "open" | "answered" | "expired" | "withdrawn" | "granted";

/** A row of the table `approval`, as the driver gives it. */
export interface ApprovalRow {
  readonly id: string;
  readonly run_id: string;
  readonly tenant: string;
  readonly session_id: string;
  /** A bigint, which the driver gives as text. */
  readonly epoch: string;
  readonly question: string;
  readonly state: QuestionState;
  readonly decision: string | null;
  readonly answered_by: string | null;
  readonly covers: string | null;
  readonly granted_by: string | null;
  readonly asked_at: Date;
  readonly expires_at: Date | null;
  readonly settled_at: Date | null;
}

/** The columns of `ApprovalRow`, for a table that is called `a` in the statement. */
export const APPROVAL_COLUMNS: string = `a.id, a.run_id, a.tenant, a.session_id, a.epoch, a.question, a.state,
  a.decision, a.answered_by, a.covers, a.granted_by, a.asked_at, a.expires_at, a.settled_at`;

/** The question. Its id and times are those of the database, because the clocks of workers differ. */
export function toApproval(row: ApprovalRow): FleetApproval {
  const { expiresAt: _, ...question } = JSON.parse(row.question) as Approval;
  return {
    ...question,
    id: row.id,
    sessionId: row.session_id,
    askedAt: row.asked_at.toISOString(),
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at.toISOString() }),
    run: row.run_id,
    tenant: row.tenant,
  };
}

/** The audit record of a question that is not open any more. */
export function toRecord(
  row: ApprovalRow,
  outcome: Exclude<QuestionState, "open">,
): FleetApprovalRecord {
  const record = approvalRecord(toApproval(row), {
    outcome,
    settledAt: (row.settled_at ?? row.asked_at).toISOString(),
    decision: toDecision(row),
    by: row.answered_by ?? undefined,
    grantedBy: row.granted_by ?? undefined,
    code: outcome === "expired" ? "approval_expired" : undefined,
  });
  return { ...record, run: row.run_id, tenant: row.tenant };
}

export function toDecision(row: Pick<ApprovalRow, "decision">): ApprovalDecision | undefined {
  return row.decision === null ? undefined : (JSON.parse(row.decision) as ApprovalDecision);
}
