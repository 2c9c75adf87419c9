import { beforeAll, describe, expect, it } from "vitest";
import { FULL } from "../support/cli.js";
import { chaos, SEED } from "./chaos.helper.js";
import { cellsOf, ENTRIES, FAULTS, STEPS } from "./plan.js";
import { PLANTS } from "./plant.js";

/** A sample of the product: two or three cells of each step. chaos.full.test.ts has many more. */
const EVERY = 31;

it("a call settles as expected and leaves nothing behind, for a sample of the faults at every protocol step", async () => {
  const told = await chaos(`--every=${EVERY}`, "--concurrency=20");
  expect(told.problems, told.said).toEqual([]);
  expect(told.code).toBe(0);
  expect(told.runs).toBe(cellsOf({ seed: Number(SEED), every: EVERY }).length);
  expect(told.outcomes).toMatchObject({
    ok: expect.any(Number),
    process_exited: expect.any(Number),
  });
}, 300_000);

describe("cellsOf()", () => {
  const name = ({ step, fault, entry }: { step: string; fault: string; entry: string }) =>
    `${step}/${fault}/${entry}`;

  it("combines every step, every fault and every entry point once in each round", () => {
    const cells = cellsOf({ seed: 1, rounds: 2 });
    const all = Object.keys(STEPS).length * Object.keys(FAULTS).length * ENTRIES.length;
    expect(cells).toHaveLength(2 * all);
    expect(new Set(cells.map(name)).size).toBe(all);
  });

  it("returns equal cells for equal seeds, also for a single cell by `only`", () => {
    const cells = cellsOf({ seed: 3 });
    expect(cellsOf({ seed: 3 })).toEqual(cells);
    expect(cellsOf({ seed: 4 })).not.toEqual(cells);
    const [one] = cells;
    expect(one && cellsOf({ seed: 3, only: name(one) })).toEqual([one]);
  });

  it("with `share` combines each entry point with every step and with every fault", () => {
    const cells = cellsOf({ seed: Number(SEED), share: 2 });
    const pairs = (of: "step" | "fault") =>
      new Set(cells.map((cell) => `${cell[of]}/${cell.entry}`));
    expect(pairs("step").size).toBe(Object.keys(STEPS).length * ENTRIES.length);
    expect(pairs("fault").size).toBe(Object.keys(FAULTS).length * ENTRIES.length);
  });

  it("with `every` keeps every step, every fault and every entry point", () => {
    for (let seed = 0; seed < EVERY; seed += 1) {
      const cells = cellsOf({ seed, every: EVERY });
      const count = (of: "step" | "fault" | "entry") => new Set(cells.map((cell) => cell[of])).size;
      expect(count("step")).toBe(Object.keys(STEPS).length);
      expect(count("fault")).toBe(Object.keys(FAULTS).length);
      expect(count("entry")).toBe(ENTRIES.length);
    }
  });
});

/** Faults that one host can have at once: no fault of a group hides or resembles another one. */
const GROUPS: readonly (readonly string[])[] = FULL
  ? Object.keys(PLANTS).map((plant) => [plant])
  : [
      [
        ...["descriptor", "timer", "listener", "process", "file"],
        ...["rejection", "exception", "warning", "code"],
      ],
      ["orphan", "signal", "text", "late"],
      ["hang", "success"],
      ["swallowed"],
      ["crash"],
    ];

// A check that cannot fail proves nothing.
describe("chaos harness", () => {
  const CELL = "--only=middle/kill/complete";
  const told = new Map<string, Awaited<ReturnType<typeof chaos>>>();

  beforeAll(async () => {
    const runs = GROUPS.map(async (plants) => {
      const run = await chaos(CELL, `--plant=${plants}`);
      for (const plant of plants) told.set(plant, run);
    });
    await Promise.all(runs);
  }, 120_000);

  it.each(Object.entries(PLANTS))("reports the planted fault: %s", (plant, { noticed }) => {
    expect(told.get(plant)?.problems.join("\n")).toMatch(noticed);
    expect(told.get(plant)?.code).toBe(1);
  });

  it("reports no problem when no fault is planted", async () => {
    const { problems, outcomes } = await chaos(CELL);
    expect(problems).toEqual([]);
    expect(outcomes).toEqual({ process_exited: 1 });
  }, 120_000);
});
