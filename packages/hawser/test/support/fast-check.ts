import * as library from "fast-check";
import { vi } from "vitest";

/**
 * Random tests that repeat themselves: the same cases on every run, unless `HAWSER_SEED` names
 * others (`random` draws some and prints which), and `HAWSER_RUNS` times as many.
 */
export * from "fast-check";

const FIXED_SEED = 20_260_101;
const seed = seedOf(process.env["HAWSER_SEED"]);
const factor = factorOf(process.env["HAWSER_RUNS"]);

library.configureGlobal({ seed });
if (factor > 1) vi.setConfig({ testTimeout: 60_000 * factor });

/** In place of the library's own, so that no test can forget to take part in a longer run. */
export const assert: typeof library.assert = ((
  property: library.IRawProperty<unknown>,
  parameters: library.Parameters<unknown> = {},
) => {
  const { numRuns = 100 } = parameters;
  return library.assert(property, { ...parameters, numRuns: Math.ceil(numRuns * factor) });
}) as typeof library.assert;

function seedOf(given: string | undefined): number {
  if (given === undefined || given === "") return FIXED_SEED;
  if (given === "random") {
    const drawn = Math.floor(Math.random() * 2 ** 31);
    process.stderr.write(`HAWSER_SEED=${drawn}\n`);
    return drawn;
  }
  const seed = Number(given);
  if (Number.isSafeInteger(seed)) return seed;
  throw new Error(`HAWSER_SEED is no whole number: ${given}`);
}

function factorOf(given: string | undefined): number {
  if (given === undefined || given === "") return 1;
  const factor = Number(given);
  if (factor > 0 && factor < Number.POSITIVE_INFINITY) return factor;
  throw new Error(`HAWSER_RUNS is no number above 0: ${given}`);
}
