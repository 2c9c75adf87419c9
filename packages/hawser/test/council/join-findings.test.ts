import { describe, expect, it } from "vitest";
import { joinFindings } from "../../src/council/join-findings.js";
import type { Finding } from "../../src/council/vote.js";

function joined(...findings: readonly Partial<Finding>[]) {
  const whole = findings.map((finding, seat) => ({
    reviewer: String.fromCodePoint(97 + seat),
    findings: [{ severity: "info", title: "T", detail: "D", ...finding } as Finding],
  }));
  return joinFindings(whole);
}

const PLACE = { file: "src/a.ts", line: 3, category: "security" };

describe("joinFindings()", () => {
  it("joins findings of the same place and category, with the highest severity", () => {
    expect(
      joined(
        { ...PLACE, title: "First words", severity: "warning" },
        { ...PLACE, title: "Other words", severity: "critical", detail: "It is worse." },
        { ...PLACE, severity: "info", suggestion: "Check it." },
      ),
    ).toEqual([
      {
        ...PLACE,
        title: "First words",
        detail: "It is worse.",
        severity: "critical",
        suggestion: "Check it.",
        reviewers: ["a", "b", "c"],
      },
    ]);
  });

  it.each(["./src/a.ts", "b/src/a.ts", "src\\a.ts", "src/x/../a.ts"])(
    "knows %s as the same file",
    (file) => {
      expect(joined(PLACE, { ...PLACE, file })).toHaveLength(1);
    },
  );

  it.each([{ file: "src/b.ts" }, { line: 4 }, { category: "style" }])(
    "keeps what differs apart: %o",
    (other) => {
      expect(joined(PLACE, { ...PLACE, ...other })).toHaveLength(2);
    },
  );

  it.each(["Security", " SECURITY ", "security."])("knows %j as the same category", (category) => {
    expect(joined(PLACE, { ...PLACE, category })).toHaveLength(1);
  });

  it("knows every way to write a category of two words, and that none is `other`", () => {
    const handling = ["error-handling", "error_handling", "Error Handling"].map((category) => ({
      ...PLACE,
      category,
    }));
    expect(joined(...handling)).toHaveLength(1);
    const { category: _, ...none } = PLACE;
    expect(joined(none, { ...none, category: "Other" })).toHaveLength(1);
  });

  it.each([
    ["an empty file", { file: "" }],
    ["no line", { line: undefined as never }],
  ])("joins findings with %s by their titles", (_, place) => {
    expect(joined({ ...PLACE, ...place }, { title: "T" })).toHaveLength(1);
    expect(joined({ ...PLACE, ...place }, { title: "Other" })).toHaveLength(2);
  });

  it("does not join a finding that has a place with one that has none", () => {
    expect(joined(PLACE, { title: "T" })).toHaveLength(2);
  });

  it("joins findings without a place by their titles", () => {
    expect(joined({ title: "No tests." }, { title: "  no  TESTS" })).toHaveLength(1);
    expect(joined({ title: "Te\u200bst\u202e" }, { title: "test" })).toHaveLength(1);
    expect(joined({ title: "Straße ＡＢＣ" }, { title: "STRASSE abc" })).toHaveLength(1);
    expect(joined({ title: "No tests" }, { title: "No docs" })).toHaveLength(2);
  });

  it("puts the worst first, and keeps the order of the reviewers otherwise", () => {
    const found = joined(
      { title: "one" },
      { title: "two", severity: "critical" },
      { title: "three" },
      { title: "four", severity: "warning" },
    );
    expect(found.map(({ title }) => title)).toEqual(["two", "four", "one", "three"]);
  });
});
