// Measures everything, and writes the results and the pages: `node bench/run.js`. A run of some groups
// (`node bench/run.js import framing`) and a trial with few rounds (`--rounds 2`) only print their figures.
// `--add` also puts the figures of some groups into the results of the last whole run, and the page then
// says so. Each group compares inside itself, so its ratios do not depend on the other groups. The exit code
// is 1 if a target is missed.
import { parseArgs } from "node:util";
import { report } from "./figures.js";
import { GROUPS } from "./groups.js";
import { machineFacts } from "./machine.js";
import { writePages } from "./pages.js";
import { readResults, withLater, writeResults } from "./results.js";

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, add: { type: "boolean", default: false } },
  allowPositionals: true,
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const unknown = positionals.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0 || (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))) {
  console.error(
    `node bench/run.js [--rounds <count>] [--add] [${Object.keys(GROUPS).join("] [")}]`,
  );
  process.exit(2);
}

const names = positionals.length === 0 ? Object.keys(GROUPS) : positionals;
const parts = {};
const figures = [];
for (const name of names) {
  const startedAt = performance.now();
  const { figures: rows, ...part } = await GROUPS[name](rounds);
  console.error(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
  // At once, so that a failure of a later group does not take the figures of this one along.
  if (report(rows)) process.exitCode = 1;
  figures.push(...rows);
  Object.assign(parts, part);
}

const isWhole = positionals.length === 0;
if (rounds === undefined && (isWhole || values.add)) {
  // `observed` has observations that no bench measures.
  const before = await readResults();
  const run = { facts: await machineFacts(), ...parts, figures };
  const results = isWhole
    ? { ...run, observed: before.observed }
    : withLater(before, run, names.join(", "));
  await writeResults(results);
  await writePages(results);
}
