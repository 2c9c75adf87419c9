import { describe, expect, it } from "vitest";
import { columns } from "../../src/bin/terminal/columns.js";
import { breakIntoRows, widthOf, wrapText } from "../../src/bin/terminal/wrap-text.js";
import { fc } from "../support/fc.js";

describe("wrapText()", () => {
  it("breaks at words, and keeps the indentation of the line", () => {
    expect(wrapText("one two three", 8)).toBe("one two\nthree");
    expect(wrapText("  one two three\nfour", 9)).toBe("  one two\n  three\nfour");
    expect(wrapText("one two three", 8, 3)).toBe("one two\n   three");
    expect(wrapText("one two", 7)).toBe("one two");
  });

  it("does not break a word that is longer than a row", () => {
    expect(wrapText("at https://example.org/a now", 10)).toBe("at\nhttps://example.org/a now");
    expect(wrapText("https://example.org/a", 10)).toBe("https://example.org/a");
  });

  it("begins no row with a separator, or with the unit of a time", () => {
    expect(wrapText("one · two", 4)).toBe("one ·\ntwo");
    expect(wrapText("\x1b[2mit took 0.1 s\x1b[22m", 11)).toBe("\x1b[2mit took\n0.1 s\x1b[22m");
    expect(wrapText("yes sir", 6)).toBe("yes\nsir");
  });

  it("is fast for a long run of blanks before a separator", () => {
    const text = `a${" ".repeat(200_000)}· b`;
    expect(wrapText(text, 40)).toContain("· b");
  });

  it("counts neither colours nor marks, and counts wide characters twice", () => {
    expect(wrapText("\x1b[2m  one two three\x1b[22m", 9)).toBe("\x1b[2m  one two\n  three\x1b[22m");
    expect(wrapText("漢字 漢字", 8)).toBe("漢字\n漢字");
    expect(widthOf("\x1b[1me\u0301漢\x1b[22m")).toBe(3);
  });

  it("makes no row wider than given unless a word is, and loses no word", () => {
    const word = fc.stringMatching(/^[a-z]{1,9}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1 }),
        fc.integer({ min: 9, max: 40 }),
        (words, most) => {
          const wrapped = wrapText(words.join(" "), most);
          for (const row of wrapped.split("\n")) expect(row.length).toBeLessThanOrEqual(most);
          expect(wrapped.split(/\s+/)).toEqual(words);
        },
      ),
    );
  });
});

describe("rowsOf", () => {
  it("breaks at blanks, in mid-word only where a word is longer than a row", () => {
    expect(breakIntoRows("rm -rf ./build ./dist", 10)).toEqual(["rm -rf ", "./build ", "./dist"]);
    expect(breakIntoRows("hello world", 5)).toEqual(["hello ", "world"]);
    expect(breakIntoRows("abcdefghij kl", 4)).toEqual(["abcd", "efgh", "ij ", "kl"]);
  });

  it("leaves out nothing of the line, and no row is wider than asked but for a blank at its end", () => {
    const text = fc.stringMatching(/^[a c漢]{0,60}$/u);
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (line, most) => {
        const rows = breakIntoRows(line, most);
        expect(rows.join("")).toBe(line);
        for (const row of rows) expect(widthOf(row.replace(/ $/, ""))).toBeLessThanOrEqual(most);
      }),
    );
  });
});

it("columns() breaks the second column at words, below its start", () => {
  expect(columns([["/a", "one two three"]], 14)).toBe("  /a  one two\n      three");
});
