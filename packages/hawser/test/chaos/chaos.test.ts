import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cellsOf, ENTRIES, FAULTS, STEPS } from "./plan.js";
import { PLANTS } from "./plant.js";

const PROGRAM = fileURLToPath(new URL("./run.js", import.meta.url));
const SEED = process.env["HAWSER_SEED"] ?? "6";

interface Told {
  readonly code: number | null;
  /** All of it, the seed included, so that it can be run again. */
  readonly said: string;
  readonly runs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

async function chaos(...args: string[]): Promise<Told> {
  const run = spawn(process.execPath, [PROGRAM, `--seed=${SEED}`, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said, [code]] = await Promise.all([text(run.stdout), once(run, "exit")]);
  const told = JSON.parse(said.slice(said.indexOf("\n{"))) as Omit<Told, "code" | "said">;
  return { code: code as number | null, said, ...told };
}

/** The whole product is `npm run chaos`. */
it("Every step meets every fault, at two entry points: each run settles as it should, and nothing is left.", async () => {
  const { code, said, runs, outcomes, problems } = await chaos("--share=2", "--concurrency=40");
  expect(problems, said).toEqual([]);
  expect(code).toBe(0);
  expect(runs).toBe(Object.keys(STEPS).length * Object.keys(FAULTS).length * 2);
  expect(outcomes).toMatchObject({
    ok: expect.any(Number),
    process_exited: expect.any(Number),
    aborted: expect.any(Number),
    "timeout/boot": expect.any(Number),
    "timeout/idle": expect.any(Number),
  });
}, 300_000);

describe("the product", () => {
  const name = ({ step, fault, entry }: { step: string; fault: string; entry: string }) =>
    `${step}/${fault}/${entry}`;

  it("has every step, every fault and every entry point, once in each round", () => {
    const cells = cellsOf({ seed: 1, rounds: 2 });
    const all = Object.keys(STEPS).length * Object.keys(FAULTS).length * ENTRIES.length;
    expect(cells).toHaveLength(2 * all);
    expect(new Set(cells.map(name)).size).toBe(all);
  });

  it("is the same for the same seed, and so is one cell of it alone", () => {
    const cells = cellsOf({ seed: 3 });
    expect(cellsOf({ seed: 3 })).toEqual(cells);
    expect(cellsOf({ seed: 4 })).not.toEqual(cells);
    const [one] = cells;
    expect(one && cellsOf({ seed: 3, only: name(one) })).toEqual([one]);
  });

  it("has, where only some entry points are wanted, each of them with every step and every fault", () => {
    const cells = cellsOf({ seed: Number(SEED), share: 2 });
    const pairs = (of: "step" | "fault") =>
      new Set(cells.map((cell) => `${cell[of]}/${cell.entry}`));
    expect(pairs("step").size).toBe(Object.keys(STEPS).length * ENTRIES.length);
    expect(pairs("fault").size).toBe(Object.keys(FAULTS).length * ENTRIES.length);
  });
});

/** A check that cannot fail is none. */
describe("a host that is made to misbehave is found out", () => {
  it.concurrent.each(Object.entries(PLANTS))(
    "by its %s",
    async (plant, { noticed }) => {
      const told = await chaos("--only=middle/kill/complete", `--plant=${plant}`);
      expect(told.problems.join("\n")).toMatch(noticed);
      expect(told.code).toBe(1);
    },
    120_000,
  );

  it("and without a plant the same run is well", async () => {
    const { problems, outcomes } = await chaos("--only=middle/kill/complete");
    expect(problems).toEqual([]);
    expect(outcomes).toEqual({ process_exited: 1 });
  }, 120_000);
});
