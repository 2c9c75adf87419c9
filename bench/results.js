// Writes the results of one run of all benches to bench/results.json. Every figure on every page comes
// from that file; see pages.js.
import { readFile, writeFile } from "node:fs/promises";
import { rounded } from "./figures.js";
import { summaryOf } from "./pool/summary.js";

const FILE = new URL("./results.json", import.meta.url);

export async function readResults(file = FILE) {
  return JSON.parse(await readFile(file, "utf8"));
}

export async function writeResults(results, file = FILE) {
  await writeFile(file, `${JSON.stringify(results, undefined, 2).replace(LIST, inOneLine)}\n`);
}

/** Lists of numbers or strings take one line each, so that the diff of a run is short. */
const LIST = /\[\n[^[\]{}]*\]/g;

function inOneLine(list) {
  const texts = JSON.parse(list).map((it) => JSON.stringify(it));
  return `[${texts.join(", ")}]`;
}

/**
 * `competitors` describes what was measured, `throughput` how many calls were made. `observed` has
 * observations that no bench measures; they are copied from the earlier results.
 */
export function resultsOf({ facts, pool, others, competitors, counts, observed }) {
  return {
    facts,
    latency: {
      rounds: pool.latency.rounds,
      restless: pool.latency.restless,
      calls: Object.fromEntries(
        Object.entries(pool.latency.samples).map(([name, samples]) => [
          name,
          callsOf(competitors[name], samples),
        ]),
      ),
    },
    throughput: { ...counts, rates: pool.throughput.map(ratesOf) },
    figures: [...pool.figures, ...others],
    observed,
  };
}

function callsOf({ label, about, tone }, samples) {
  const { median, p90 } = summaryOf(samples);
  return {
    label,
    about,
    tone,
    median: rounded(median, 1),
    p90: rounded(p90, 1),
    values: samples.map((ms) => rounded(ms, 2)),
  };
}

function ratesOf({ callers, rates }) {
  const [official, warm, empty] = ["official", "warm", "empty"].map(
    (name) => summaryOf(rates[name]).median,
  );
  return {
    callers,
    official: rounded(official, 1),
    warm: rounded(warm, 1),
    ratio: rounded(warm / official, 2),
    empty: rounded(empty, 1),
  };
}
