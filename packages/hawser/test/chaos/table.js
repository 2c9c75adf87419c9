// Writes a run into its page: one row for each step, one column for each fault.
import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { limitOf, timeoutsOf } from "./expectation.js";
import { ENTRIES, FAULTS, STEPS, signalOf } from "./plan.js";

const PAGE = new URL("../../../../docs/reliability.md", import.meta.url);
const BEGIN = "<!-- chaos: written by `npm run chaos -- --write` -->";
const END = "<!-- end of chaos -->";

/** The figures of a run. */
export function summaryOf(results) {
  const outcomes = countOf(results.map(({ outcome }) => String(outcome)));
  return { worstMs: worstOf(results), outcomes };
}

export async function writeTable(run) {
  const page = await readFile(PAGE, "utf8");
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE.pathname} has no place for the table`);
  const written = [page.slice(0, from), BEGIN, "\n\n", tableOf(run), "\n", page.slice(to)];
  await writeFile(PAGE, written.join(""));
}

export function tableOf({ results, seed, rounds, mostAtOnce, seconds, version }) {
  const total = countOf(results.map(({ outcome }) => outcome));
  const signalled = results.filter(({ cell }) => signalOf(cell) !== undefined).length;
  const [steps, faults] = [STEPS, FAULTS].map((all) => Object.keys(all).length);
  const limits = results.map(({ cell }) => limitOf(cell) / 1000);
  const often = rounds === 1 ? "once" : `${rounds} times`;
  const product = `${steps} steps × ${faults} faults × ${ENTRIES.length} entry points, ${often}`;
  return [
    `Seed ${seed}: ${results.length} runs (${product}), up to ${mostAtOnce} at a time, in ${Math.round(seconds)} s on ${cpus().length} cores. Node ${process.version}; the fake CLI as ${version}. ${signalled} of the runs got a signal from outside.`,
    "",
    `Unhandled rejections, uncaught exceptions and warnings: 0. Descriptors, timers, listeners, processes and temporary files that were left: 0. Runs that did not settle: 0. The longest run took ${secondsOf(worstOf(results))} from the fault to the outcome, including limits that it had to reach.`,
    "",
    `The suite allowed each run ${leastOf(limits)} to ${mostOf(limits)} s from the fault to the outcome. Calls that had to reach one of their own limits had ${ownLimits(results)}.`,
    "",
    `Outcomes: ${listed(total)}.`,
    "",
    row(["step of the CLI", ...Object.values(FAULTS).map(({ title }) => title)]),
    row(["---", ...Object.keys(FAULTS).map(() => "---")]),
    ...Object.entries(STEPS).map(([step, { title }]) =>
      row([title, ...Object.keys(FAULTS).map((fault) => cellOf(results, step, fault))]),
    ),
    "",
  ].join("\n");
}

/** The time limits of the calls, by name. */
function ownLimits(results) {
  const all = Object.assign({}, ...results.map(({ cell }) => timeoutsOf(cell)));
  return Object.entries(all)
    .map(([name, ms]) => `\`${name}: ${ms}\``)
    .join(", ");
}

function leastOf(numbers) {
  return Math.round(Math.min(...numbers));
}

function mostOf(numbers) {
  return Math.round(Math.max(...numbers));
}

/** All entry points together if their outcomes agree; otherwise those that differ, by name. */
function cellOf(results, step, fault) {
  const here = results.filter(({ cell }) => cell.step === step && cell.fault === fault);
  const byOutcomes = new Map();
  for (const entry of ENTRIES) {
    const outcomes = here.filter(({ cell }) => cell.entry === entry).map((each) => each.outcome);
    const seen = [...new Set(outcomes)].sort().map(codeOf).join(", ");
    byOutcomes.set(seen, [...(byOutcomes.get(seen) ?? []), entry]);
  }
  const parts = [...byOutcomes]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([seen, entries], i) => (i === 0 ? seen : `${entries.join(", ")}: ${seen}`));
  return `${parts.join("; ")} (${here.length}, ${secondsOf(worstOf(here))})`;
}

function codeOf(outcome) {
  if (outcome === "ok" || outcome === "end") return outcome;
  return `\`${outcome.replace("/", " ")}\``;
}

function worstOf(results) {
  return Math.round(Math.max(0, ...results.map(({ settleMs = 0 }) => settleMs)));
}

function secondsOf(ms) {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`;
}

function countOf(names) {
  const counts = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function listed(counts) {
  const most = Object.entries(counts).sort(([, one], [, other]) => other - one);
  return most.map(([outcome, count]) => `${codeOf(outcome)} ${count}`).join(", ");
}

function row(parts) {
  return `| ${parts.join(" | ")} |`;
}
