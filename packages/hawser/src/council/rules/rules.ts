import { kind, throwIfInvalid } from "../../base/index.js";
import type { JoinedFinding } from "../join-findings.js";
import type { Rule, Ruling } from "./rule.js";
import { meanConfidence, type Tally, tallyOf } from "./tally.js";

/** More votes approve than reject. A tie is a rejection. */
export function majority(): Rule {
  return ({ votes }) => {
    const tally = tallyOf(votes);
    return rulingByCount(tally.approvals.length > tally.rejections.length, tally);
  };
}

/** No vote rejects. */
export function unanimous(): Rule {
  return ({ votes }) => {
    const tally = tallyOf(votes);
    return rulingByCount(tally.rejections.length === 0, tally);
  };
}

export interface WeightedOptions {
  /**
   * What the mean of the scores must exceed, from -1 to 1.
   * @default 0
   */
  readonly threshold?: number;
}

/** The mean of the scores, by the weights of the reviewers, is above a threshold. */
export function weighted({ threshold = 0 }: WeightedOptions = {}): Rule {
  throwIfInvalid(THRESHOLD.problems(threshold, "threshold"));
  return ({ votes }) => {
    const tally = tallyOf(votes, ({ weight }) => weight);
    const { score, approvals, rejections } = tally;
    const isPass = score > threshold;
    const winners = isPass ? approvals : rejections;
    return {
      verdict: isPass ? "pass" : "reject",
      label: `${wordFor(isPass, tally)} with a score of ${score.toFixed(2)}`,
      score,
      // Approvals alone can stay below the threshold.
      confidence: meanConfidence(winners.length === 0 ? votes : winners),
    };
  };
}

const THRESHOLD = kind.number("number", "a number from -1 to 1", (n) => n >= -1 && n <= 1);

export interface VetoOptions {
  /**
   * Which finding stops the subject.
   * @default a critical one
   */
  readonly when?: (finding: JoinedFinding) => boolean;
  /**
   * What decides if no finding does.
   * @default majority()
   */
  readonly otherwise?: Rule;
}

/** One finding can stop the subject, however the votes are. */
export function veto({ when = isCritical, otherwise = majority() }: VetoOptions = {}): Rule {
  return (input) => {
    const stopping = input.findings.filter((finding) => when(finding));
    const [first] = stopping;
    if (first === undefined) return otherwise(input);
    const more = stopping.length === 1 ? "" : `, and ${stopping.length - 1} more`;
    const { votes } = input;
    return {
      verdict: "reject",
      label: `vetoed: ${first.title}${more}`,
      score: tallyOf(votes).score,
      confidence: meanConfidence(
        votes.filter(({ reviewer }) => first.reviewers.includes(reviewer)),
      ),
    };
  };
}

function isCritical({ severity }: JoinedFinding): boolean {
  return severity === "critical";
}

function rulingByCount(isPass: boolean, tally: Tally): Ruling {
  const { approvals, rejections, score } = tally;
  const [winners, losers] = isPass ? [approvals, rejections] : [rejections, approvals];
  return {
    verdict: isPass ? "pass" : "reject",
    label: `${wordFor(isPass, tally)} ${winners.length} to ${losers.length}`,
    score,
    confidence: meanConfidence(winners),
  };
}

function wordFor(isPass: boolean, { hasConditions }: Tally): string {
  if (!isPass) return "rejected";
  return hasConditions ? "approved with conditions" : "approved";
}
