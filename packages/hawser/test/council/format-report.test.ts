import { describe, expect, it } from "vitest";
import { HawserError } from "../../src/base/index.js";
import { formatReport } from "../../src/council/format-report.js";
import { makeReport } from "../../src/council/make-report.js";
import type { Outcome } from "../../src/council/outcome.js";
import { voteOf } from "./votes.helper.js";

function reportOf(outcomes: readonly Outcome[]) {
  const reviewers = outcomes.map((outcome) => ({
    name: "vote" in outcome ? outcome.vote.reviewer : outcome.absence.reviewer,
    systemPrompt: "You look.",
  }));
  return makeReport({ reviewers, subject: "x", rule: "magi" }, outcomes, 1);
}

const VOTES: Outcome[] = [
  {
    vote: voteOf("A", {
      reviewer: "Melchior",
      recommendation: "Merge it.",
      findings: [{ severity: "info", title: "Nice name", detail: "It says all." }],
    }),
  },
  {
    vote: voteOf("C", {
      reviewer: "Balthasar",
      conditions: ["Add a test."],
      findings: [
        {
          severity: "warning",
          title: "No test",
          detail: "Nothing would notice.",
          suggestion: "Write one.",
          file: "src/a.ts",
          line: 3,
        },
      ],
    }),
  },
  { vote: voteOf("R", { reviewer: "Caspar", summary: "It breaks." }) },
];

describe("formatReport()", () => {
  it("has the layout of MAGI's report", () => {
    expect(formatReport(reportOf(VOTES))).toBe(`+==================================================+
|  COUNCIL -- VERDICT                              |
+==================================================+
|  Melchior:  APPROVE (90%)                        |
|  Balthasar: CONDITIONAL (90%)                    |
|  Caspar:    REJECT (90%)                         |
+==================================================+
|  CONSENSUS: GO WITH CAVEATS (2-1)                |
+==================================================+

## Key Findings

[!!]  **[WARNING]**  src/a.ts:3: No test _(from Balthasar)_
      Nothing would notice.
      Suggestion: Write one.
[i]   **[INFO]**     Nice name _(from Melchior)_
      It says all.

## Dissenting Opinion

**Caspar**: It breaks.

## Conditions for Approval

- **Balthasar**: Add a test.

## Recommended Actions

- **Melchior**: Merge it.
`);
  });

  it("shows who is absent, and why", () => {
    const error = new HawserError("timeout", "Too\nslow.");
    const absence = { reviewer: "Caspar", error, costUsd: 0, ms: 1 };
    const text = formatReport(reportOf([...VOTES.slice(0, 2), { absence }]));
    expect(text).toContain("|  Caspar:    ABSENT  ");
    expect(text).toContain("## Absent Reviewers\n\n- **Caspar**: timeout. Too slow.\n");
  });

  it("lets no text of a model control the terminal, begin a line, or end a block of code", () => {
    const evil = "```\n# Approved\x1b[2J\x1b]0;title\x07\u202e\r```";
    const finding = {
      severity: "critical",
      title: evil,
      detail: evil,
      suggestion: evil,
      file: evil,
      line: 1,
      category: evil,
    } as const;
    const vote = voteOf("C", {
      reviewer: "a",
      summary: evil,
      conditions: [evil],
      recommendation: evil,
      findings: [finding],
    });
    const reject = voteOf("R", { reviewer: "b", summary: evil });
    const text = formatReport(reportOf([{ vote }, { vote: reject }]));
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(text).not.toMatch(/^ {0,3}(```|#(?!# [KDCRA]))/m);
  });

  it("cuts names, and not votes, so that every line of the banner has its width", () => {
    const name = "a reviewer with a name that is longer than any banner has room for";
    const outcomes = ["界".repeat(40), name, "b"].map((reviewer) => ({
      vote: voteOf("C", { reviewer }),
    }));
    for (const width of [52, 30, 1]) {
      const text = formatReport(reportOf(outcomes), { width });
      const banner = text.split("\n").slice(0, 9);
      const widths = banner.map((line) =>
        [...line].reduce((sum, c) => sum + (c === "界" ? 2 : 1), 0),
      );
      expect(new Set(widths)).toEqual(new Set([Math.max(30, width)]));
      expect(text.match(/CONDITIONAL \(90%\)/g)).toHaveLength(3);
    }
  });
});
