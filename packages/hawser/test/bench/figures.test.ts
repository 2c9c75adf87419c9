import { describe, expect, it, vi } from "vitest";
import { ratioFigure, report, shown, valueFigure } from "../../../../bench/figures.js";
import { pageOf } from "../../../../bench/page.js";
import { readResults } from "../../../../bench/results.js";

/** Their median is 10, and its interval is 7 to 13; see statistics.test.ts. */
const ROUNDS = [12, 5, 9, 15, 7, 10, 14, 6, 11, 8, 13];
const TWICE = ROUNDS.map((value) => value * 2);

const MET = ratioFigure({
  id: "met",
  figure: "a met ratio, ms",
  against: "other",
  hawser: ROUNDS,
  other: TWICE,
  atMost: 0.5,
});
const MISSED = valueFigure({ id: "x", figure: "a missed value, ms", columns: [ROUNDS], atMost: 6 });
const OPEN = valueFigure({ id: "y", figure: "an open value, ms", columns: [ROUNDS], atMost: 12 });
const FREE = valueFigure({ id: "z", figure: "a value without a target, ms", columns: [ROUNDS] });

describe("a row of the results", () => {
  it("has the ratio of the medians, its interval and its verdict", () => {
    expect(MET).toEqual({
      id: "met",
      figure: "a met ratio, ms",
      hawser: 10,
      against: "other",
      other: 20,
      ratio: 0.5,
      interval: [0.5, 0.5],
      rounds: 11,
      atMost: 0.5,
      verdict: "met",
    });
  });

  it("has a value, and a verdict only with a target", () => {
    expect(MISSED).toMatchObject({ hawser: 10, interval: [7, 13], verdict: "missed" });
    expect(OPEN).toMatchObject({ hawser: 10, verdict: "not_decided" });
    expect(FREE).toMatchObject({ hawser: 10 });
    expect(FREE).not.toHaveProperty("verdict");
  });

  it("takes any statistic of several columns", () => {
    const difference = (ours: number[], theirs: number[]) => (theirs[0] ?? 0) - (ours[0] ?? 0);
    const columns = [ROUNDS.map(() => 1), ROUNDS.map(() => 1.25)];
    const row = valueFigure({ id: "d", figure: "d", columns, statistic: difference, atMost: 0.2 });
    expect(row).toMatchObject({ hawser: 0.25, interval: [0.25, 0.25], verdict: "missed" });
  });
});

it.each([
  [0.123, "0.12"],
  [-0.456, "-0.46"],
  [12.34, "12.3"],
  [523.9, "524"],
])("shown(%d) is %s", (value, text) => {
  expect(shown(value)).toBe(text);
});

describe("report()", () => {
  it("tells a miss, and only a miss", () => {
    const print = vi.spyOn(console, "table").mockImplementation(() => {});
    expect(report([MET, OPEN, FREE])).toBe(false);
    expect(report([MET, MISSED])).toBe(true);
    print.mockRestore();
  });
});

describe("docs/benchmarks.md", () => {
  it("shows each row with its interval, target and verdict", async () => {
    const page = pageOf({ ...(await readResults()), figures: [MET, MISSED, OPEN, FREE] });
    expect(page).toContain(
      "| a met ratio, ms | 10.0 | other 20.0 | 0.50 | 0.50 to 0.50 | ≤ 0.5 | yes |",
    );
    expect(page).toContain("| a missed value, ms | 10.0 |  |  | 7.00 to 13.0 | ≤ 6 | **no** |");
    expect(page).toMatch(/\| an open value, ms \| .* \| ≤ 12 \| not decided \|/);
    expect(page).toMatch(/\| a value without a target, ms \| .* \| {2}\| {2}\|/);
  });

  it("counts the verdicts, and lists the missed and the open targets", async () => {
    const results = await readResults();
    const page = pageOf({ ...results, figures: [MET, MISSED, OPEN, FREE] });
    expect(page).toContain("Of 3 targets, 1 were met in this run, 1 were missed, and 1 were not");
    expect(page).toContain("Missed:\n\n- a missed value: 7.00 to 13.0, target ≤ 6");
    expect(page).toContain("Not decided:\n\n- an open value: ");
    const met = pageOf({ ...results, figures: [MET] });
    expect(met).not.toContain("Missed:");
    expect(met).not.toContain("Not decided:");
  });

  it("quotes the machine, the versions, the date and the commit", async () => {
    const facts = [["commit", "abc1234"]];
    expect(pageOf({ ...(await readResults()), facts })).toContain("- commit: abc1234\n");
  });
});
