import type { CouncilVote } from "../council-vote.js";
import type { JoinedFinding } from "../join-findings.js";

/** What a rule decides about. */
export interface RuleInput {
  /** The votes without the abstentions, at least as many as the quorum. */
  readonly votes: readonly CouncilVote<unknown>[];
  /** The findings of all reviewers, also of those that abstain. */
  readonly findings: readonly JoinedFinding[];
  /** How many reviewers the council has. */
  readonly seats: number;
}

/** What a rule has decided. */
export interface Ruling {
  /** `none`: the rule cannot decide. */
  readonly verdict: "pass" | "reject" | "none";
  /** The verdict in the words of the rule. */
  readonly label: string;
  /** From -1 (all reject) to 1 (all approve). */
  readonly score: number;
  /** How sure the council is, from 0 to 1. */
  readonly confidence: number;
  /**
   * The names of the reviewers that dissent.
   * @default the reviewers that voted against the verdict
   */
  readonly dissent?: readonly string[] | undefined;
}

/**
 * Makes one verdict of several votes. It is only asked if there are enough of them.
 *
 * @example A rule of your own: security alone decides
 * ```ts
 * import type { Rule } from "hawser/council";
 *
 * const rule: Rule = ({ votes }) => {
 *   const vote = votes.find(({ reviewer }) => reviewer === "security");
 *   if (vote === undefined) return { verdict: "none", label: "no expert", score: 0, confidence: 0 };
 *   const { score, confidence, summary: label } = vote;
 *   return { verdict: score > 0 ? "pass" : "reject", label, score, confidence };
 * };
 * ```
 */
export type Rule = (input: RuleInput) => Ruling;
