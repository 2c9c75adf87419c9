import { describe, expect, it } from "vitest";
import { HawserError } from "../../src/base/index.js";
import type { CouncilOptions } from "../../src/council/council-options.js";
import { makeReport } from "../../src/council/make-report.js";
import type { Outcome } from "../../src/council/outcome.js";
import { magi } from "../../src/council/rules/magi.js";
import { voteOf } from "./votes.helper.js";

/** A seat for each letter; `-` is absent. */
function reportOf(letters: string, more: Partial<CouncilOptions> = {}) {
  const reviewers = [...letters].map((_, seat) => ({
    name: String.fromCodePoint(97 + seat),
    systemPrompt: "You look.",
  }));
  const outcomes = [...letters].map((letter, seat): Outcome => {
    const reviewer = reviewers[seat]?.name ?? "";
    if (letter !== "-") return { vote: voteOf(letter, { reviewer }) };
    return { absence: { reviewer, error: new HawserError("timeout"), costUsd: 0.5, ms: 1 } };
  });
  return makeReport({ reviewers, subject: "x", ...more }, outcomes, 7);
}

describe("the quorum", () => {
  it.each([
    ["A", "pass"],
    ["AA", "pass"],
    ["A-", "none"],
    ["AO", "none"],
    ["AA-", "pass"],
    ["A--", "none"],
    ["AOO", "none"],
    ["---", "none"],
    ["OOO", "none"],
    ["AA--", "none"],
    ["AAA--", "pass"],
  ])("is more than half, and at least two of two: %s is %s", (letters, verdict) => {
    expect(reportOf(letters)).toMatchObject({ verdict });
  });

  it("is never a pass if it is missing, whatever the rule says", () => {
    const rule = () => ({ verdict: "pass" as const, label: "yes", score: 1, confidence: 1 });
    expect(reportOf("AA-", { rule, quorum: 3 })).toMatchObject({
      verdict: "none",
      label: "no verdict: 2 of at least 3 votes",
      confidence: 0,
      dissent: [],
    });
    expect(reportOf("AA-", { rule })).toMatchObject({ verdict: "pass" });
  });
});

describe("the report", () => {
  it("counts the cost of absent reviewers, and does not know it if a part is not known", () => {
    expect(reportOf("AA-").costUsd).toBeCloseTo(0.52);
    const unknown: Outcome = { vote: voteOf("A", { costUsd: undefined }) };
    const options = { reviewers: [{ name: "A", systemPrompt: "You look." }], subject: "x" };
    expect(makeReport(options, [unknown], 1).costUsd).toBeUndefined();
  });

  it("has the votes against the verdict as dissent, or those that the rule names", () => {
    const names = (rule: CouncilOptions["rule"]) =>
      reportOf("CCR", { rule }).dissent.map(({ reviewer }) => reviewer);
    expect(names("majority")).toEqual(["c"]);
    expect(names(magi())).toEqual(["a", "b"]);
    expect(names(magi({ quirks: true }))).toEqual(["c"]);
  });

  it("has the conditions of a reviewer, or its summary if it names none", () => {
    expect(reportOf("CA").conditions).toEqual([{ reviewer: "a", condition: "C says so" }]);
  });
});

describe("a rule of the program", () => {
  const good = { verdict: "pass", label: "yes", score: 1, confidence: 1 };

  it.each([
    [undefined, "rule() must be an object, not undefined"],
    [Promise.resolve(good), "rule().verdict is missing"],
    [
      { ...good, verdict: "maybe" },
      'rule().verdict must be one of "pass", "reject", "none", not "maybe"',
    ],
    [
      { ...good, verdict: true },
      'rule().verdict must be one of "pass", "reject", "none", not true',
    ],
    [{ ...good, label: undefined }, "rule().label is missing"],
    [{ ...good, score: Number.NaN }, "rule().score must be a number from -1 to 1, not NaN"],
    [{ ...good, confidence: 80 }, "rule().confidence must be a number from 0 to 1, not 80"],
  ])("cannot return nonsense: %#", (ruling, message) => {
    expect(() => reportOf("AA", { rule: () => ruling as never })).toThrow(message);
  });

  it("that throws is invalid_options, with its error as the cause", () => {
    const cause = new Error("division by zero");
    const rule = () => {
      throw cause;
    };
    expect(() => reportOf("AA", { rule })).toThrow(
      expect.objectContaining({
        code: "invalid_options",
        message: "`rule` has thrown: division by zero",
        cause,
      }),
    );
  });

  it("cannot replace the votes", () => {
    const rule = () => ({ ...good, votes: [], costUsd: 0 }) as never;
    expect(reportOf("AA", { rule }).votes).toHaveLength(2);
  });
});
