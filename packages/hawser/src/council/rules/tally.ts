import type { CouncilVote } from "../council-vote.js";

export interface Tally {
  readonly approvals: readonly CouncilVote<unknown>[];
  readonly rejections: readonly CouncilVote<unknown>[];
  readonly hasConditions: boolean;
  /** The mean of the scores. */
  readonly score: number;
}

/** Approvals with conditions are approvals. Every vote counts the same, unless `weightOf` says otherwise. */
export function tallyOf(
  votes: readonly CouncilVote<unknown>[],
  weightOf: (vote: CouncilVote<unknown>) => number = () => 1,
): Tally {
  const weight = votes.reduce((sum, vote) => sum + weightOf(vote), 0);
  const sum = votes.reduce((total, vote) => total + vote.score * weightOf(vote), 0);
  return {
    approvals: votes.filter(({ score }) => score > 0),
    rejections: votes.filter(({ score }) => score < 0),
    hasConditions: votes.some(({ verdict }) => verdict === "approve_with_conditions"),
    score: weight === 0 ? 0 : sum / weight,
  };
}

/** The mean confidence of these votes; 0 of none. */
export function meanConfidence(votes: readonly CouncilVote<unknown>[]): number {
  if (votes.length === 0) return 0;
  return votes.reduce((sum, { confidence }) => sum + confidence, 0) / votes.length;
}
