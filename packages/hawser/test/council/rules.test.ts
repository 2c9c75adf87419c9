import { describe, expect, it } from "vitest";
import { joinFindings } from "../../src/council/join-findings.js";
import { magi } from "../../src/council/rules/magi.js";
import type { Rule } from "../../src/council/rules/rule.js";
import { majority, unanimous, veto, weighted } from "../../src/council/rules/rules.js";
import type { Finding } from "../../src/council/vote.js";
import { voteOf, votesOf } from "./votes.helper.js";

function rule(by: Rule, votes = votesOf("AAR")) {
  return by({ votes, findings: joinFindings(votes), seats: votes.length });
}

const CRITICAL: Finding = { severity: "critical", title: "Data is lost", detail: "At each start." };

/** The letters in every order. */
function ordersOf(letters: string): string[] {
  if (letters.length < 2) return [letters];
  return [...letters].flatMap((letter, index) =>
    ordersOf(letters.slice(0, index) + letters.slice(index + 1)).map((rest) => letter + rest),
  );
}

describe("magi()", () => {
  it.each([
    ["AAA", "STRONG GO", "pass"],
    ["AAC", "GO WITH CAVEATS (3-0)", "pass"],
    ["ACC", "GO WITH CAVEATS (3-0)", "pass"],
    ["CCC", "GO WITH CAVEATS (3-0)", "pass"],
    ["AAR", "GO (2-1)", "pass"],
    ["ACR", "GO WITH CAVEATS (2-1)", "pass"],
    ["CCR", "HOLD -- TIE", "reject"],
    ["ARR", "HOLD (2-1)", "reject"],
    ["CRR", "HOLD (2-1)", "reject"],
    ["RRR", "STRONG NO-GO", "reject"],
    ["AA", "GO (2-0)", "pass"],
    ["AC", "GO WITH CAVEATS (2-0)", "pass"],
    ["CC", "GO WITH CAVEATS (2-0)", "pass"],
    ["AR", "HOLD -- TIE", "reject"],
    ["CR", "HOLD (1-1)", "reject"],
    ["RR", "HOLD (2-0)", "reject"],
  ])("%s is %s", (letters, label, verdict) => {
    for (const votes of ordersOf(letters).map(votesOf)) {
      expect(rule(magi(), votes)).toMatchObject({ label, verdict });
      expect(rule(magi({ quirks: true }), votes)).toMatchObject({ label, verdict });
    }
  });

  it.each([
    // The tie of CCR is a rejection, and yet the only one that rejects dissents.
    ["CCR", ["c"]],
    ["ARR", ["a"]],
    ["AAA", []],
    // In a tie of two, the first name is the majority.
    ["AR", ["b"]],
    ["RA", ["b"]],
    ["CR", ["b"]],
  ])("with its quirks, the smaller side of %s dissents", (letters, dissent) => {
    expect(rule(magi({ quirks: true }), votesOf(letters)).dissent).toEqual(dissent);
    expect(rule(magi(), votesOf(letters)).dissent).toBeUndefined();
  });

  it("scales the confidence of the majority by the clarity of the score", () => {
    const votes = [
      voteOf("A", { reviewer: "a", confidence: 0.8 }),
      voteOf("A", { reviewer: "b", confidence: 0.7 }),
      voteOf("R", { reviewer: "c", confidence: 1 }),
    ];
    expect(rule(magi(), votes).score).toBeCloseTo(1 / 3);
    expect(rule(magi(), votes).confidence).toBe(0.33);
    expect(rule(magi(), votesOf("AAA")).confidence).toBe(0.9);
  });

  it("takes the side of the first name in a tie", () => {
    const tie = (first: string, second: string) => [
      voteOf(first, { reviewer: "a", confidence: 0.6 }),
      voteOf(second, { reviewer: "b", confidence: 0.2 }),
    ];
    expect(rule(magi(), tie("A", "R")).confidence).toBe(0.15);
    expect(rule(magi(), tie("R", "A")).confidence).toBe(0.15);
  });

  it("lets a critical finding block, unless the quirks are wanted", () => {
    const votes = [voteOf("A"), voteOf("A", { reviewer: "b", findings: [CRITICAL] })];
    expect(rule(magi(), votes)).toMatchObject({
      verdict: "reject",
      label: "HOLD -- CRITICAL FINDING, despite GO (2-0)",
    });
    expect(rule(magi({ quirks: true }), votes)).toMatchObject({ verdict: "pass" });
  });
});

describe("the other rules", () => {
  it.each([
    ["majority", majority(), "AAR", "pass", "approved 2 to 1"],
    ["majority", majority(), "ACR", "pass", "approved with conditions 2 to 1"],
    ["majority", majority(), "AR", "reject", "rejected 1 to 1"],
    ["majority", majority(), "ARR", "reject", "rejected 2 to 1"],
    ["unanimous", unanimous(), "AAC", "pass", "approved with conditions 3 to 0"],
    ["unanimous", unanimous(), "AAR", "reject", "rejected 1 to 2"],
    ["weighted", weighted(), "CCR", "reject", "rejected with a score of 0.00"],
    ["weighted", weighted({ threshold: 0.5 }), "AAR", "reject", "rejected with a score of 0.33"],
    ["weighted", weighted({ threshold: 0.3 }), "AAR", "pass", "approved with a score of 0.33"],
    [
      "weighted",
      weighted({ threshold: 0.3 }),
      "AC",
      "pass",
      "approved with conditions with a score of 0.75",
    ],
    ["unanimous", unanimous(), "AAA", "pass", "approved 3 to 0"],
    ["veto", veto(), "AAR", "pass", "approved 2 to 1"],
  ] as const)("%s: %#", (_, by, letters, verdict, label) => {
    expect(rule(by, votesOf(letters))).toMatchObject({ verdict, label });
  });

  it("weighted() alone counts the weights", () => {
    const votes = [
      voteOf("A", { weight: 1 }),
      voteOf("A", { reviewer: "b", weight: 1 }),
      voteOf("R", { reviewer: "c", weight: 6 }),
    ];
    expect(rule(weighted(), votes)).toMatchObject({ verdict: "reject", score: -0.5 });
    expect(rule(majority(), votes).score).toBeCloseTo(1 / 3);
    expect(rule(magi(), votes)).toMatchObject({ verdict: "pass", label: "GO (2-1)" });
  });

  it("weighted() is sure of a rejection that only its threshold makes", () => {
    const confidence = 0.9;
    expect(rule(weighted({ threshold: 0.6 }), votesOf("CC"))).toMatchObject({
      verdict: "reject",
      confidence,
    });
  });

  it.each([
    [Number.NaN, "NaN"],
    [2, "2"],
    ["0.5", '"0.5"'],
  ])("weighted() refuses the threshold %s", (threshold, shown) => {
    expect(() => weighted({ threshold: threshold as number })).toThrow(
      `threshold must be a number from -1 to 1, not ${shown}.`,
    );
  });

  it("veto() stops for a critical finding, or for what is given", () => {
    const votes = [voteOf("A", { findings: [CRITICAL] }), voteOf("A", { reviewer: "b" })];
    expect(rule(veto(), votes)).toMatchObject({ verdict: "reject", label: "vetoed: Data is lost" });
    expect(rule(veto(), votes).confidence).toBe(0.9);
    const when = (finding: Finding) => finding.category === "licence";
    expect(rule(veto({ when, otherwise: unanimous() }), votes)).toMatchObject({ verdict: "pass" });
  });
});
