import { expect, it } from "vitest";
import { prose, readPage } from "./page.js";

const MEASURED = ["docs/benchmarks.md", "docs/reliability.md"];
const QUOTING = ["README.md", "docs/from-the-agent-sdk.md"];

it("every figure that a page quotes stands, rounded, on a page that was measured", () => {
  const measured = MEASURED.flatMap((page) => numbersIn(readPage(page)));
  const quoted = QUOTING.flatMap((page) => figuresIn(page, readPage(page)));
  expect(quoted.length).toBeGreaterThan(10);
  const made = quoted.filter(({ figure }) => !measured.some((each) => rounds(each, figure)));
  expect(made).toEqual([]);
});

it.each(["523.9", "524"])(
  "a figure of %s ms is found, and compared as exactly as it is written",
  (figure) => {
    expect(figuresIn("x.md", `It takes ${figure} ms.`)).toEqual([{ place: "x.md:1", figure }]);
    expect(rounds(523.9, figure)).toBe(true);
    expect(rounds(523.4, figure)).toBe(false);
  },
);

/** What stands before a unit; and the cells of a table whose row is about one. */
function figuresIn(page: string, source: string): { place: string; figure: string }[] {
  return prose(source).flatMap((text, line) => {
    const found = /^\| calls a second/.test(text) ? text.match(/\d+(?= \|)/g) : text.match(FIGURE);
    return (found ?? []).map((figure) => ({ place: `${page}:${line}`, figure }));
  });
}

const FIGURE = /\d+(?:\.\d+)?(?= (?:ms\b|MB\b|of \d|calls a second|combinations))/g;

function numbersIn(source: string): number[] {
  return (source.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
}

function rounds(measured: number, figure: string): boolean {
  const digits = figure.split(".")[1]?.length ?? 0;
  return measured.toFixed(digits) === figure;
}
