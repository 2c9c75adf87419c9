/**
 * - `approve`: the subject is good as it is.
 * - `approve_with_conditions`: it is good once the conditions are met.
 * - `reject`: it must not pass.
 * - `abstain`: the reviewer cannot judge it. The vote does not count.
 */
export type VoteVerdict = "approve" | "approve_with_conditions" | "reject" | "abstain";

export type Severity = "critical" | "warning" | "info";

/** One thing that a reviewer noticed. */
export interface Finding {
  readonly severity: Severity;
  readonly title: string;
  readonly detail: string;
  /** The file that it is about, as the subject names it. */
  readonly file?: string;
  readonly line?: number;
  /** Such as `security` or `error-handling`. Findings of one line are joined if their categories are the same. */
  readonly category?: string;
  /** What to do about it. */
  readonly suggestion?: string;
}

/** What a reviewer has answered. `Details` is the type of the council's own `schema`. */
export interface Vote<Details = undefined> {
  readonly verdict: VoteVerdict;
  /** How sure the reviewer is, from 0 to 1. */
  readonly confidence: number;
  /** The judgement in one or two sentences. */
  readonly summary: string;
  readonly reasons: string;
  /** What must be done before the subject may pass. */
  readonly conditions: readonly string[];
  readonly findings: readonly Finding[];
  /** What the reviewer recommends to do next. */
  readonly recommendation: string;
  readonly details: Details;
}

/** What a vote counts for its subject: from 1 for an approval to -1 for a rejection. */
export function scoreOf(verdict: VoteVerdict): number {
  return SCORES[verdict];
}

const SCORES: Readonly<Record<VoteVerdict, number>> = {
  approve: 1,
  approve_with_conditions: 0.5,
  reject: -1,
  abstain: 0,
};
