import type { CouncilVote } from "../council-vote.js";
import type { Rule, Ruling } from "./rule.js";
import { type Tally, tallyOf } from "./tally.js";

export interface MagiOptions {
  /**
   * True keeps the quirks of MAGI: a critical finding never blocks, and the dissent is the smaller side, even where the
   * verdict is against the larger one. Without them, a critical finding turns a GO into a HOLD, and the dissent is
   * against the verdict.
   * @default false
   */
  readonly quirks?: boolean;
}

/**
 * The consensus of MAGI, an earlier system: its scores, labels and truth table. A label that begins with GO or STRONG
 * GO is a pass. All reviewers count the same, whatever their `weight`.
 */
export function magi({ quirks = false }: MagiOptions = {}): Rule {
  return ({ votes, findings }) => {
    const tally = tallyOf(votes);
    const majority = majorityOf(votes, tally);
    const ruled = rulingOf(votes.length, tally, majority);
    if (quirks) {
      const minority = votes.filter((vote) => !majority.includes(vote));
      return { ...ruled, dissent: minority.map(({ reviewer }) => reviewer) };
    }
    const isBlocked = findings.some(({ severity }) => severity === "critical");
    if (!isBlocked || ruled.verdict !== "pass") return ruled;
    const label = `HOLD -- CRITICAL FINDING, despite ${ruled.label}`;
    return { ...ruled, verdict: "reject", label };
  };
}

function rulingOf(
  count: number,
  { approvals, rejections, hasConditions, score }: Tally,
  majority: readonly CouncilVote<unknown>[],
): Ruling {
  return {
    verdict: score > 0 && !isNear(score, 0) ? "pass" : "reject",
    label: labelOf(score, approvals.length, rejections.length, hasConditions),
    score,
    confidence: confidenceOf(majority, count, score),
  };
}

function labelOf(score: number, a: number, r: number, hasConditions: boolean): string {
  const isSmall = a + r < 3;
  if (isNear(score, 1)) return isSmall ? `GO (${a + r}-0)` : "STRONG GO";
  if (isNear(score, -1)) return isSmall ? `HOLD (${a + r}-0)` : "STRONG NO-GO";
  if (isNear(score, 0)) return "HOLD -- TIE";
  if (score > 0) return `${hasConditions ? "GO WITH CAVEATS" : "GO"} (${a}-${r})`;
  return `HOLD (${r}-${a})`;
}

/** In a tie, the side of the reviewer whose name comes first in the alphabet. */
function majorityOf(
  votes: readonly CouncilVote<unknown>[],
  { approvals, rejections }: Tally,
): readonly CouncilVote<unknown>[] {
  if (approvals.length !== rejections.length) {
    return approvals.length > rejections.length ? approvals : rejections;
  }
  const [first] = [...votes].sort((one, two) => (one.reviewer < two.reviewer ? -1 : 1));
  return first !== undefined && first.score > 0 ? approvals : rejections;
}

function confidenceOf(
  majority: readonly CouncilVote<unknown>[],
  count: number,
  score: number,
): number {
  if (count === 0) return 0;
  const sum = majority.reduce((total, { confidence }) => total + confidence, 0);
  const scaled = (sum / count) * ((Math.abs(score) + 1) / 2);
  return Math.round(Math.min(Math.max(scaled, 0), 1) * 100) / 100;
}

function isNear(score: number, value: number): boolean {
  return Math.abs(score - value) < 1e-9;
}
