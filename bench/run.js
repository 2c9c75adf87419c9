// Measures everything, and writes the results and the pages: `node bench/run.js`. All figures of the pages
// are of one whole run, so a run of some groups (`node bench/run.js import framing`) and a trial with few
// rounds (`--rounds 2`) only print their figures. The exit code is 1 if a target is missed.
import { parseArgs } from "node:util";
import { report } from "./figures.js";
import { GROUPS } from "./groups.js";
import { machineFacts } from "./machine.js";
import { writePages } from "./pages.js";
import { readResults, writeResults } from "./results.js";

const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" } },
  allowPositionals: true,
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const unknown = positionals.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0 || (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0))) {
  console.error(`node bench/run.js [--rounds <count>] [${Object.keys(GROUPS).join("] [")}]`);
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

if (positionals.length === 0 && rounds === undefined) {
  // `observed` has observations that no bench measures.
  const { observed } = await readResults();
  const results = { facts: await machineFacts(), ...parts, figures, observed };
  await writeResults(results);
  await writePages(results);
}
