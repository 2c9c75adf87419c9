import type { CouncilVote } from "../../src/council/council-vote.js";
import type { Finding, VoteVerdict } from "../../src/council/vote.js";
import { scoreOf } from "../../src/council/vote.js";

/** A vote by its letter: A approves, C approves with conditions, R rejects, O abstains. */
export function voteOf(
  letter: string,
  more: Partial<CouncilVote<unknown>> & { readonly findings?: readonly Finding[] } = {},
): CouncilVote<unknown> {
  const verdict = VERDICTS[letter] ?? "abstain";
  return {
    reviewer: letter,
    weight: 1,
    score: scoreOf(verdict),
    verdict,
    confidence: 0.9,
    summary: `${letter} says so`,
    reasons: "because",
    conditions: [],
    findings: [],
    recommendation: "",
    details: undefined,
    model: "claude-test",
    costUsd: 0.01,
    usage: { input_tokens: 1, output_tokens: 1 },
    ms: 1,
    ...more,
  };
}

/** One vote for each letter, by reviewers a, b, c … */
export function votesOf(letters: string): CouncilVote<unknown>[] {
  return [...letters].map((letter, seat) =>
    voteOf(letter, { reviewer: String.fromCodePoint(97 + seat) }),
  );
}

const VERDICTS: Readonly<Record<string, VoteVerdict>> = {
  A: "approve",
  C: "approve_with_conditions",
  R: "reject",
  O: "abstain",
};
