// A chaos run of the fleet: workers with the real CLI, a simulated model and a private Postgres, many runs, and a random
// fault every second. Afterwards the tables and the logs must agree. It prints its figures and what does not hold.
// Options: --runs, --seconds, --workers, --tenants, --seed, --verbose; --keep leaves the folder for a look.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openFleet } from "@hawser/fleet";
import { Cluster } from "./cluster.js";
import { doFault } from "./faults.js";
import { figuresOf } from "./figures.js";
import { Host } from "./host.js";
import { violations } from "./invariants.js";
import { MARK, makePlace } from "./place.js";
import { planFaults, planRuns } from "./plan.js";
import { commandOf, processesWith } from "./processes.js";
import { promptOf } from "./read-conversation.js";
import { readLogs, readTables } from "./read-facts.js";
import { writeSettings } from "./settings.js";
import { untilReachable } from "./until-reachable.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "200" },
    seconds: { type: "string", default: "180" },
    workers: { type: "string", default: "4" },
    tenants: { type: "string", default: "20" },
    slots: { type: "string", default: "2" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
    verbose: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const [runs, seconds, workers, tenants, slots, seed] = [
  "runs",
  "seconds",
  "workers",
  "tenants",
  "slots",
  "seed",
].map((name) => Number(values[name]));

/** After the last fault, so long the fleet has for each run that is left, and for the recovery of all of them. */
const SETTLE_MS = 120_000 + 5_000 * runs;

/** How long processes may take to end after the workers have drained. */
const GONE_MS = 15_000;

console.log(`${runs} runs, ${workers} workers, ${seconds} s of faults, seed ${seed}`);
const begun = performance.now();
// Not in TMPDIR, because the path of a unix socket has at most 107 bytes.
const place = makePlace(mkdtempSync("/tmp/hawser-fleet-chaos-"));
const mark = place.folder.slice(-6);
const env = { PATH: process.env.PATH, LANG: process.env.LANG, [MARK]: mark };
const cluster = await Cluster.start(join(place.folder, "postgres"));
const problems = [];
const model = await startProgram("model.js");
writeSettings(place, { databaseUrl: cluster.url, modelUrl: model.said, seed, slots });
const fleet = await openFleet({ database: cluster.url });
const hosts = Array.from(
  { length: workers },
  (_, number) => new Host(place, `host-${number + 1}`, env),
);
const people = await startProgram("answerer.js");
const pending = new Set();
const faults = {};

try {
  const priceUsd = await measurePrice();
  const planned = planRuns({ seed, runs, tenants, seconds });
  const submitting = submitAll(planned);
  await makeFaults();
  await Promise.all([...pending, submitting]);
  const lastFault = performance.now();
  const submitted = await submitting;
  await settleAll();
  const settleSeconds = (performance.now() - lastFault) / 1_000;
  const processes = await closeAll();
  await judge({ planned, submitted, priceUsd, settleSeconds, processes });
} finally {
  for (const host of hosts) host.kill(true);
  model.child.stdin.end();
  await cluster.stop();
  if (!values.keep) rmSync(place.folder, { recursive: true, force: true });
  else console.log(`kept: ${place.folder}`);
}
process.exit(problems.length === 0 ? 0 : 1);

/** What one request costs by the CLI's own account, before any fault. */
async function measurePrice() {
  const run = await fleet.submit(promptOf({ number: -1, steps: [] }), {
    tenant: "price",
    key: "price",
  });
  const { costUsd } = await run.result();
  return costUsd;
}

/** Submits every run in its time. The database may be gone: then the same key is submitted again. */
async function submitAll(planned) {
  const from = performance.now();
  const sessions = new Map();
  for (const run of planned) {
    await sleep(Math.max(0, from + run.atMs - performance.now()));
    const { tenant, attempts, number, continues } = run;
    const session = continues === undefined ? {} : { session: sessions.get(continues) };
    const options = { tenant, attempts, key: keyOf(number), ...session };
    const info = await untilReachable(async () =>
      (await fleet.submit(promptOf(run), options)).info(),
    );
    sessions.set(number, info.sessionId);
  }
  return sessions.size;
}

function keyOf(number) {
  return `chaos-${number}`;
}

async function makeFaults() {
  const from = performance.now();
  for (const [second, planned] of planFaults({ seed, seconds }).entries()) {
    await sleep(Math.max(0, from + second * 1_000 - performance.now()));
    const said = doFault(planned, { hosts, cluster, pending });
    if (said === undefined) continue;
    faults[planned.fault] = (faults[planned.fault] ?? 0) + 1;
    if (values.verbose) console.log(`${new Date().toISOString()} ${said}`);
  }
}

/** Waits until every run is settled. */
async function settleAll() {
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const rows = await cluster.rows(
      "select state, count(*)::int from hawser.run where ended_at is null group by state",
    );
    if (rows.length === 0) return;
    if (Date.now() > until) {
      const left = rows.map(({ state, count }) => `${count} ${state}`).join(", ");
      problems.push(`After ${SETTLE_MS} ms, runs are left: ${left}.`);
      return;
    }
    await sleep(250);
  }
}

/** Ends all programs but the model and the database. Returns the processes that are left. */
async function closeAll() {
  people.child.stdin.end();
  await Promise.all([people.exited, ...hosts.map((host) => host.close())]);
  await fleet.close();
  const until = Date.now() + GONE_MS;
  const left = () => processesWith(mark).filter((pid) => pid !== model.child.pid);
  while (left().length > 0 && Date.now() < until) await sleep(100);
  return left().map(commandOf);
}

async function judge({ planned, priceUsd, settleSeconds, submitted, processes }) {
  const tables = await readTables({ query: async (sql) => ({ rows: await cluster.rows(sql) }) });
  const facts = {
    ...tables,
    ...readLogs(place),
    planned: planned.map((run) => ({ ...run, key: keyOf(run.number) })),
    priceUsd,
    thaws: hosts.flatMap(({ thaws }) => thaws),
    processes,
  };
  problems.push(...hosts.flatMap((host) => host.problems), ...violations(facts));
  const totalSeconds = (performance.now() - begun) / 1_000;
  const starts = hosts.reduce((sum, host) => sum + host.starts, 0);
  const figures = figuresOf(facts, { faults, submitted, starts, settleSeconds, totalSeconds });
  console.log(JSON.stringify({ seed, ...figures, problems }, undefined, 2));
}

/** Starts a program of this folder, and waits for its first line. It ends when its standard input ends. */
async function startProgram(name) {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [program, place.folder], {
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit").then(([code]) => {
    if (code !== 0) problems.push(`${name} ended with ${code}.`);
  });
  const [chunk = ""] = (await Promise.race([once(child.stdout, "data"), exited])) ?? [];
  return { child, exited, said: String(chunk).trim() };
}
