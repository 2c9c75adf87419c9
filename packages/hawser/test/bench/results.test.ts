import { describe, expect, it } from "vitest";
import { withLater } from "../../../../bench/results.js";

const BEFORE = {
  facts: [
    ["date", "2026-01-01"],
    ["commit", "aaa"],
  ],
  calls: { rounds: 3 },
  figures: [
    { id: "call", hawser: 1 },
    { id: "import", hawser: 2 },
  ],
  observed: { spareMb: 5 },
};

function later(hawser: number, date: string) {
  return {
    facts: [
      ["date", date],
      ["commit", "bbb"],
    ],
    figures: [{ id: "import", hawser }],
  };
}

describe("withLater()", () => {
  it("replaces the figures of the groups, keeps all others, and names the later run", () => {
    const once = withLater(BEFORE, later(9, "2026-02-02"), "import");
    expect(once).toEqual({
      ...BEFORE,
      facts: [...BEFORE.facts, ["measured later: import", "2026-02-02, commit bbb"]],
      figures: [
        { id: "call", hawser: 1 },
        { id: "import", hawser: 9 },
      ],
    });
  });

  it("names only the last of several later runs of the same groups", () => {
    const once = withLater(BEFORE, later(9, "2026-02-02"), "import");
    const { facts } = withLater(once, later(8, "2026-03-03"), "import");
    expect(facts.slice(2)).toEqual([["measured later: import", "2026-03-03, commit bbb"]]);
  });
});
