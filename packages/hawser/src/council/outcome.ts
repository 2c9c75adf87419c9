import type { Usage } from "../wire/index.js";
import type { Absence, CouncilVote } from "./council-vote.js";

/** What came of one reviewer: a vote, or the reason why there is none. */
export type Outcome = { readonly vote: CouncilVote<unknown> } | { readonly absence: Absence };

export function votesIn(outcomes: readonly Outcome[]): CouncilVote<unknown>[] {
  return outcomes.flatMap((outcome) => ("vote" in outcome ? [outcome.vote] : []));
}

export function absencesIn(outcomes: readonly Outcome[]): Absence[] {
  return outcomes.flatMap((outcome) => ("absence" in outcome ? [outcome.absence] : []));
}

/**
 * What came of one reviewer in two rounds. A reviewer that is absent in the second round keeps its first vote. The cost
 * of both rounds counts in any case.
 */
export function joinRounds(first: Outcome, second: Outcome): Outcome {
  const [one, two] = [spentOf(first), spentOf(second)];
  const spent = { costUsd: addCosts([one.costUsd, two.costUsd]), ms: one.ms + two.ms };
  if ("vote" in second) {
    const before = "vote" in first ? first.vote.usage : NO_TOKENS;
    return { vote: { ...second.vote, ...spent, usage: addUsage(before, second.vote.usage) } };
  }
  if ("vote" in first) return { vote: { ...first.vote, ...spent } };
  return { absence: { ...second.absence, ...spent } };
}

/** The sum of the costs; `undefined` if one of them is not known. */
export function addCosts(costs: readonly (number | undefined)[]): number | undefined {
  return costs.reduce(
    (sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost),
    0,
  );
}

function spentOf(outcome: Outcome): Pick<Absence, "costUsd" | "ms"> {
  return "vote" in outcome ? outcome.vote : outcome.absence;
}

const NO_TOKENS: Usage = { input_tokens: 0, output_tokens: 0 };

function addUsage(one: Usage, two: Usage): Usage {
  const sum = (name: Tokens) => (one[name] ?? 0) + (two[name] ?? 0);
  return {
    input_tokens: sum("input_tokens"),
    output_tokens: sum("output_tokens"),
    cache_creation_input_tokens: sum("cache_creation_input_tokens"),
    cache_read_input_tokens: sum("cache_read_input_tokens"),
  };
}

type Tokens = `${"input" | "output" | "cache_creation_input" | "cache_read_input"}_tokens`;
