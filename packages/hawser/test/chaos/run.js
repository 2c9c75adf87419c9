// Every step of the protocol × every fault × every entry point, many at once: `npm run chaos`. The
// host under test is a process of its own. This program judges the outcomes.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DIST } from "../../../../tools/dist.js";
import { expected, limitOf, problemsOf } from "./expectation.js";
import { cellsOf } from "./plan.js";
import { MARK, processesOf, remainsOf } from "./remains.js";
import { lingerOf, scenarioOf, VERSION } from "./scenario.js";
import { summaryOf, writeTable } from "./table.js";
import { Watch } from "./watch.js";

const { fakeCli } = await import(`${DIST}/testing/index.js`);

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    rounds: { type: "string", default: "1" },
    concurrency: { type: "string", default: "200" },
    share: { type: "string", default: "5" },
    every: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    write: { type: "boolean", default: false },
    plant: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
const [seed, rounds, concurrency, share, every] = [
  "seed",
  "rounds",
  "concurrency",
  "share",
  "every",
].map((name) => Number(values[name]));
/** The time for closed processes and the host to exit. Planted faults never go away. */
const goneMs = values.plant === undefined ? 15_000 : 2_000;
/** The factor of all limits, because a host with more to do at once takes longer. */
const scale = concurrency > 50 ? 2 : 1;
/** Long enough for two cores to start all processes, so that they really run at once. */
const lingerMs = concurrency > 50 && values.only === "" ? 60_000 : 0;
const cells = cellsOf({ seed, rounds, only: values.only, share, every, scale, lingerMs });
// Long cells begin first, so that the others run meanwhile.
const lengthOf = (cell) => limitOf(cell) + lingerOf(cell);
cells.sort((one, other) => lengthOf(other) - lengthOf(one));
const [first] = cells;
console.log(`${cells.length} runs, ${concurrency} at once, seed ${seed}`);
console.log(`one of them again: npm run chaos -- --seed=${seed} --only=${first.id.slice(0, -2)}`);

const place = await mkdtemp(join(tmpdir(), "chaos-"));
const [notes, temporary] = ["notes", "tmp"].map((name) => join(place, name));
await mkdir(notes);
await mkdir(temporary);
const clis = await Promise.all(cells.map(prepare));
const watch = new Watch(notes, cells, now);
/**
 * The reports of the host, by cell.
 * @type {Map<string, { settledAt?: number, overAt?: number, ended?: boolean, outcome?: string,
 *   message?: string, problems?: string[] }>}
 */
const reports = new Map(cells.map(({ id }) => [id, {}]));
const problems = [];
let mostAtOnce = 0;

const begun = now();
await runHost();
const seconds = (now() - begun) / 1000;
watch.close();
await Promise.all(clis.map((cli) => cli.dispose()));
await rm(place, { recursive: true, force: true });

const results = cells.map((cell) => ({ cell, ...judged(cell) }));
for (const { cell, outcome, settleMs, message, found } of results) {
  if (values.verbose) {
    console.log(
      `${cell.id}: ${outcome} after ${Math.round(settleMs ?? Number.NaN)} ms ${message ?? ""}`,
    );
  }
  for (const problem of found) problems.push(`${cell.id}: ${problem}`);
}
const told = {
  seed,
  runs: cells.length,
  seconds: Math.round(seconds),
  mostAtOnce,
  ...summaryOf(results),
  problems,
};
console.log(JSON.stringify(told, undefined, 2));
if (values.write) {
  if (problems.length > 0) console.error("The page is written only when all is well.");
  else await writeTable({ results, seed, rounds, mostAtOnce, seconds, version: VERSION });
}
process.exitCode = problems.length > 0 ? 1 : 0;

/** Each cell has a CLI of its own, outside of the folder in which no file may be left. */
async function prepare(cell) {
  cell.file = `${cell.id.replaceAll("/", "-")}.jsonl`;
  const cli = await fakeCli(scenarioOf(cell, join(notes, cell.file)));
  cell.cliPath = cli.path;
  return cli;
}

async function runHost() {
  const mark = randomUUID();
  const job = join(place, "job.json");
  await writeFile(job, JSON.stringify({ cells, concurrency, plant: values.plant, goneMs }));
  const program = fileURLToPath(new URL("./host.js", import.meta.url));
  const host = fork(program, [job], {
    execArgv: ["--no-warnings"],
    env: { ...process.env, TMPDIR: temporary, [MARK]: mark },
  });
  let isDone = false;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  host.on("message", (/** @type {any} */ message) => {
    if (message.kind !== "done") return take(message);
    isDone = true;
    mostAtOnce = message.most;
    problems.push(...message.problems);
  });
  host.once("disconnect", () => {
    // The host exits because it has nothing left to do, without a signal.
    timer = setTimeout(() => {
      problems.push("the host did not exit by itself");
      host.kill("SIGKILL");
    }, goneMs);
  });
  // Its last messages may arrive after its exit.
  const [[code, signal]] = await Promise.all([once(host, "exit"), once(host, "disconnect")]);
  clearTimeout(timer);
  if (!isDone || code !== 0) problems.push(`the host ended by ${signal ?? `exit code ${code}`}`);
  const { alive, files } = await remainsOf(mark, temporary, goneMs);
  for (const { command } of alive) problems.push(`a process outlived the host: ${command}`);
  for (const name of files) problems.push(`a temporary file is left: ${name}`);
  for (const { pid } of processesOf(mark)) process.kill(pid, "SIGKILL");
}

function take({ kind, id, ...facts }) {
  const report = reportOf(id);
  if (kind === "step") watch.heard(cellOf(id), facts.at);
  if (kind === "settled") Object.assign(report, facts, { settledAt: facts.at });
  if (kind === "over")
    Object.assign(report, { overAt: facts.at, ended: facts.ended, problems: facts.problems });
}

function reportOf(id) {
  return reports.get(id) ?? {};
}

/** @returns {{ outcome?: string, message?: string, settleMs?: number, found: string[] }} */
function judged(cell) {
  const report = reportOf(cell.id);
  if (report.settledAt === undefined) {
    return { ...report, found: [`never settled; ${expected(cell).join(" or ")} is right`] };
  }
  const reachedAt = watch.reachedAt(cell);
  const settleMs = reachedAt === undefined ? undefined : Math.max(0, report.settledAt - reachedAt);
  const found = problemsOf(cell, { ...report, settleMs });
  if (report.ended === false) found.push("did not come to its end");
  return { ...report, settleMs, found };
}

function cellOf(id) {
  return cells.find((cell) => cell.id === id);
}

/** A clock that all processes share. */
function now() {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
