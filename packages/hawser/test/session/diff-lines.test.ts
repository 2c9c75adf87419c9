import { describe, expect, it } from "vitest";
import { diffLines } from "../../src/session/approvals/diff-lines.js";
import { fc } from "../support/fc.js";

const text = fc.array(fc.constantFrom("a", "b", "c", "", "d e"), { maxLength: 30 }).map((lines) => {
  return lines.map((line) => `${line}\n`).join("");
});

/** The lines of one side that a difference shows. */
function side(before: string, after: string, sign: "+" | "-"): string[] {
  return diffLines(before, after).flatMap((line) => (line.sign === sign ? [line.text] : []));
}

describe("the difference of two texts", () => {
  it("is empty for equal texts", () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(diffLines(same, same)).toEqual([]);
      }),
    );
  });

  it("turns one into the other: what it keeps of both is the same", () => {
    const without = (whole: string, lines: readonly string[]) => {
      const left = whole.split("\n").slice(0, -1);
      for (const line of lines) left.splice(left.indexOf(line), 1);
      return left.toSorted();
    };
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [gone, come] = [side(before, after, "-"), side(before, after, "+")];
        expect(without(before, gone)).toEqual(without(after, come));
      }),
    );
  });

  it("omits lines that are far from a change", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const changed = lines.with(20, "another");
    expect(diffLines(lines.join("\n"), changed.join("\n"))).toEqual([
      ...[17, 18, 19].map((i) => ({ sign: " ", text: `line ${i}` })),
      { sign: "-", text: "line 20" },
      { sign: "+", text: "another" },
      ...[21, 22, 23].map((i) => ({ sign: " ", text: `line ${i}` })),
      { sign: "…", text: "" },
    ]);
  });

  it("is fast for long texts", () => {
    const long = (word: string) =>
      Array.from({ length: 5000 }, (_, i) => `${word} ${i}`).join("\n");
    expect(diffLines(long("a"), long("b"))).toHaveLength(10_000);
  });
});
