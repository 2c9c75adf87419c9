import type { Absence, CouncilVote } from "./council-vote.js";
import type { JoinedFinding } from "./join-findings.js";
import type { Ruling } from "./rules/rule.js";

/** What a council has decided. */
export interface CouncilReport<Details = undefined> extends Omit<Ruling, "dissent"> {
  /** `none` also if too few reviewers voted. It is never a pass. */
  readonly verdict: Ruling["verdict"];
  /** The last vote of each reviewer that has voted, in the order of the reviewers. */
  readonly votes: readonly CouncilVote<Details>[];
  /** The reviewers without a vote, and why. */
  readonly absences: readonly Absence[];
  /** The findings of all votes. Those about the same place are one. The worst come first. */
  readonly findings: readonly JoinedFinding[];
  /** What approvals depend on, with the reviewer that says so. */
  readonly conditions: readonly { readonly reviewer: string; readonly condition: string }[];
  /** The votes against the verdict. */
  readonly dissent: readonly CouncilVote<Details>[];
  /** The cost of all reviewers, absent ones included; `undefined` if a part of it is not known. */
  readonly costUsd: number | undefined;
  /** From the call of `council()` to the report, in milliseconds. */
  readonly ms: number;
}
