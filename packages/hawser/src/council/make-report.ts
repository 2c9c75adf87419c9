import type { CouncilOptions } from "./council-options.js";
import type { CouncilReport } from "./council-report.js";
import type { CouncilVote } from "./council-vote.js";
import { joinFindings } from "./join-findings.js";
import { absencesIn, addCosts, type Outcome, votesIn } from "./outcome.js";
import { applyRule } from "./rules/apply-rule.js";
import type { Ruling } from "./rules/rule.js";
import { tallyOf } from "./rules/tally.js";

/** Throws `invalid_options` if the rule throws, or returns no ruling. */
export function makeReport(
  options: CouncilOptions,
  outcomes: readonly Outcome[],
  ms: number,
): CouncilReport<unknown> {
  const [votes, absences] = [votesIn(outcomes), absencesIn(outcomes)];
  const findings = joinFindings(votes);
  const counted = votes.filter(({ verdict }) => verdict !== "abstain");
  const seats = options.reviewers.length;
  const { quorum = defaultQuorum(seats), rule = "majority" } = options;
  const { dissent, ...ruling } =
    counted.length < quorum
      ? noVerdict(counted, quorum)
      : applyRule(rule, { votes: counted, findings, seats });
  return {
    ...ruling,
    votes,
    absences,
    findings,
    conditions: votes.flatMap(conditionsOf),
    dissent: counted.filter((vote) => dissent?.includes(vote.reviewer) ?? isAgainst(vote, ruling)),
    costUsd: addCosts([...votes, ...absences].map(({ costUsd }) => costUsd)),
    ms,
  };
}

/** More than half of the seats, and at least two if there are two. */
function defaultQuorum(seats: number): number {
  return Math.min(seats, Math.max(2, Math.floor(seats / 2) + 1));
}

function noVerdict(votes: readonly CouncilVote<unknown>[], quorum: number): Ruling {
  const label = `no verdict: ${votes.length} of at least ${quorum} votes`;
  return { verdict: "none", label, score: tallyOf(votes).score, confidence: 0 };
}

function conditionsOf({ reviewer, verdict, conditions, summary }: CouncilVote<unknown>) {
  if (verdict !== "approve_with_conditions") return [];
  const named = conditions.length === 0 ? [summary] : conditions;
  return named.map((condition) => ({ reviewer, condition }));
}

function isAgainst({ score }: CouncilVote<unknown>, { verdict }: Ruling): boolean {
  return verdict === "pass" ? score < 0 : verdict === "reject" && score > 0;
}
