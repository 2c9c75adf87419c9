// Runs the same scenarios with the official SDK and with ours, and compares them field by field.
//
//   node parity/run.js                  compares ours with the official SDK
//     --only <text>                     only scenarios whose name contains it
//     --self                            compares the official SDK with itself, to check masks and scenarios
//     --plant                           runs planted differences in place of ours, and must fail
//     --ours <file>                     another build of ours
//     --jobs <n>                        how many at a time (default: 3)
//     --dump <folder>                   writes both observations to a folder
//     --masks                           only prints what is masked, and why
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import * as official from "@anthropic-ai/claude-agent-sdk";
import { compare, describe } from "./compare.js";
import { mask, masks } from "./mask.js";
import { MUTATIONS, planted } from "./plant.js";
import { play, playRaw } from "./play.js";
import { loadScenarios } from "./scenarios.js";
import { EVERY, ruleFor, wanted } from "./wanted.js";

const { values: flags } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    self: { type: "boolean", default: false },
    plant: { type: "boolean", default: false },
    ours: { type: "string" },
    jobs: { type: "string", default: "3" },
    dump: { type: "string" },
    masks: { type: "boolean", default: false },
  },
});

if (flags.masks) {
  console.table(masks());
  process.exit(0);
}

/** An unhandled rejection is a failure of the SDK that caused it, even if no scenario observes it. */
const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

// The official SDK warns about options that scenarios combine on purpose.
process.removeAllListeners("warning");

const startedAt = Date.now();
const ours = await chooseOurs();
const all = await loadScenarios();
const scenarios = all.filter(({ name }) => name.includes(flags.only));
const used = new Set();
const counts = { ok: 0, wanted: 0, different: 0 };
const broken = [];

await inParallel(Number(flags.jobs), scenarios, async (scenario) => {
  const [left, right] = [await play(scenario, official), await play(scenario, ours)];
  if (flags.dump !== undefined) dump(scenario, { official: left, ours: right });
  broken.push(...brokenBy(scenario, left));
  report(scenario, compare(left, right));
});

const failures = [
  ...broken,
  ...(await missedPlants(all)),
  ...staleRules(),
  ...unhandledRejections(),
];
const seconds = Math.round((Date.now() - startedAt) / 1000);
const total = `${scenarios.length} scenarios in ${seconds} s`;
console.log(
  `\n${total}: ${counts.ok} the same, ${counts.wanted} as wanted, ${counts.different} different`,
);
for (const failure of failures) console.log(failure);
if (scenarios.length === 0) console.log(`No scenario's name contains "${flags.only}".`);
process.exit(counts.different + failures.length > 0 || scenarios.length === 0 ? 1 : 0);

async function chooseOurs() {
  if (flags.self) return official;
  if (flags.plant) return planted(official);

  return import(flags.ours === undefined ? "hawser" : pathToFileURL(resolve(flags.ours)).href);
}

function dump({ name }, seen) {
  const folder = flags.dump ?? ".";
  mkdirSync(folder, { recursive: true });
  for (const [side, value] of Object.entries(seen)) {
    const file = `${name.replace(/[^a-z0-9]+/gi, "-")}.${side}.json`;
    writeFileSync(join(folder, file), JSON.stringify(value, null, 2));
  }
}

function report({ name }, differences) {
  const rules = flags.self || flags.plant ? [] : wanted;
  const unexplained = differences.filter((difference) => {
    const rule = ruleFor(name, difference, rules);
    if (rule !== undefined) used.add(rule);
    return rule === undefined;
  });
  const verdict = unexplained.length > 0 ? "different" : differences.length > 0 ? "wanted" : "ok";
  counts[verdict] += 1;
  console.log(`${verdict.padEnd(9)} ${name}`);
  const shown = unexplained.slice(0, 12);
  for (const difference of shown) console.log(describe(difference));
  if (unexplained.length > shown.length) {
    console.log(`    … and ${unexplained.length - shown.length} more`);
  }
}

/** A scenario that does not work as described with the official SDK compares nothing. */
function brokenBy({ name }, { scenarioThrew, noEndWithinMs, script, processesLeft }) {
  const problems = [
    scenarioThrew && `threw ${scenarioThrew.stack}`,
    noEndWithinMs && `did not end within ${noEndWithinMs} ms`,
    script !== "played to its end" && script,
    processesLeft > 0 && `left ${processesLeft} processes`,
  ];
  return problems.filter(Boolean).map((problem) => `The scenario "${name}" is broken: ${problem}`);
}

/** The planted differences that were not found: in a whole run, and of each kind. */
async function missedPlants(all) {
  const scenario = all.find(({ name }) => name === "text: a string prompt");
  const { observed, root } = await playRaw(scenario, official);
  const seen = mask(observed, { root });
  const missed = Object.entries(MUTATIONS)
    .filter(([, mutate]) => compare(seen, mask(mutate(observed), { root })).length === 0)
    .map(([name]) => name);
  const viaSdk = compare(seen, await play(scenario, planted(official)));
  if (!viaSdk.some(({ path }) => path.endsWith(".num_turns"))) missed.push("an altered message");
  return missed.map((name) => `A planted difference was not found: ${name}`);
}

function staleRules() {
  if (flags.self || flags.plant) return [];
  const ran = new Set(scenarios.map(({ name }) => name));
  const names = new Set(all.map(({ name }) => name));
  return wanted
    .filter((rule) => !used.has(rule) && !rule.isRace)
    .filter(({ scenario }) =>
      scenario === EVERY ? ran.size === names.size : ran.has(scenario) || !names.has(scenario),
    )
    .map(({ scenario, path }) => `A wanted difference did not occur: ${String(scenario)} ${path}`);
}

function unhandledRejections() {
  return unhandled.map((error) => `A rejection was not handled: ${error?.stack ?? error}`);
}

async function inParallel(jobs, items, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      while (queue.length > 0) await work(queue.shift());
    }),
  );
}
