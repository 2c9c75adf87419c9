import type { Approval, ApprovalDecision, ApprovalOutcome, ApprovalRecord } from "hawser";
import type { Claim } from "../runs/claims.js";

/** A question of a run: the same shape as the core's, with the run that asks. Plain data. */
export type FleetApproval = Approval & { readonly run: string; readonly tenant: string };

/** The audit record of a question of a run. */
export type FleetApprovalRecord = ApprovalRecord & {
  readonly run: string;
  readonly tenant: string;
};

/**
 * A change of a question. Changes are numbered in the order in which they happened; `after` of `watch()` takes the
 * number. Plain data.
 */
export type FleetApprovalChange = { readonly seq: number } & (
  | { readonly type: "asked"; readonly approval: FleetApproval }
  | { readonly type: ApprovalOutcome; readonly id: string; readonly record: FleetApprovalRecord }
);

/** The questions of all runs, from any program. */
export interface FleetApprovals {
  /** The questions that wait for an answer, the oldest first. */
  pending(filter?: { readonly tenant?: string; readonly run?: string }): Promise<FleetApproval[]>;
  /**
   * Answers a question. The first answer counts, wherever it comes from, and its run goes on. The result is
   * `"too_late"` if the question was answered, has expired or was withdrawn before. Rejects with `invalid_options`
   * if the decision does not fit the question, and if there never was a question with this id. The question then
   * stays open.
   */
  answer(
    id: string,
    decision: ApprovalDecision,
    options?: { readonly by?: string },
  ): Promise<"counted" | "too_late">;
  /** The audit records of the newest questions that have ended, the oldest first. `limit` is 1000 unless given. */
  records(filter?: {
    readonly tenant?: string;
    readonly run?: string;
    readonly limit?: number;
  }): Promise<FleetApprovalRecord[]>;
  /**
   * Begins with the open questions, or with the changes after the number `after`, and goes on with every change. It
   * survives a lost connection without a gap, and ends when the signal aborts or the fleet is closed.
   */
  watch(options?: {
    readonly tenant?: string;
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<FleetApprovalChange>;
}

/** What the worker needs of the approvals. */
export interface ApprovalDesk {
  /**
   * Writes the question down, once for each tool call, with the event `asked`. If the call has its answer already,
   * or a grant of the session covers it, `wait()` resolves at once. Throws `lease_lost` if the claim is gone.
   */
  open(
    claim: Claim,
    question: Approval,
    options: { readonly expiresAt?: Date },
  ): Promise<OpenQuestion>;
  /** The answer, if there is one: for the call that was parked. */
  answerOf(run: string, toolUseId: string): Promise<ApprovalDecision | undefined>;
  /** The question about a call, whatever its state: for a call that an earlier segment left without a result. */
  questionOf(run: string, toolUseId: string): Promise<KnownQuestion | undefined>;
  /** The process waits no more: the run was cancelled, or the call is gone. */
  withdraw(claim: Claim, id: string): Promise<void>;
  /**
   * Withdraws the questions that an earlier segment left open, because no process waits for them any more. A worker
   * calls it after each claim, before it starts the CLI. `keep` are the tool use ids of calls that the CLI will put
   * forward again; a call that comes again although it is not among them is asked again.
   */
  beginSegment(claim: Claim, options?: { readonly keep?: readonly string[] }): Promise<void>;
  /** Denies the questions whose time is over, and returns how many. Workers call it every second. */
  expireDue(): Promise<number>;
}

export interface OpenQuestion {
  readonly id: string;
  /**
   * Resolves with the first answer, or with the denial when the question expires or is withdrawn; with undefined
   * after `waitMs`, and when the signal aborts.
   */
  wait(waitMs: number, signal: AbortSignal): Promise<ApprovalDecision | undefined>;
}

/** A question that was asked before, and its answer. */
export interface KnownQuestion {
  readonly id: string;
  readonly state: "open" | "answered" | "expired" | "withdrawn" | "granted";
  /** What the CLI gets; undefined while the question is open, and if it was withdrawn. */
  readonly decision: ApprovalDecision | undefined;
}
