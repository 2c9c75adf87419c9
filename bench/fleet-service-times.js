// Measures the service times that bench/fleet-capacity.js simulates with: what each operation of a fleet costs on this
// machine's Postgres. It writes bench/fleet-service-times.json. It needs Node 22.12 and a quiet machine:
//
//   tools/node-22/node_modules/node-22/bin/node bench/fleet-service-times.js [URL of an empty database]
//
// Without a URL, it starts a private Postgres in a temporary folder.
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { fillQueue } from "../packages/fleet/test/support/fill-queue.js";
import { openMeteredConnection } from "./fleet-capacity/metered-connection.js";
import { median } from "./statistics.js";

// By a variable: these modules are no public surface, and their types are not checked here.
const DIST = new URL("../packages/fleet/dist/", import.meta.url);
const { rankOf } = await import(`${DIST}accounting/fair-order.js`);
const { createApprovalDesk } = await import(`${DIST}approvals/create-approval-desk.js`);
const { openDatabase } = await import(`${DIST}database/open-database.js`);
const { openEngine } = await import(`${DIST}engine/open-engine.js`);
const { claimAlone, claimRun } = await import(`${DIST}runs/claim-run.js`);
const { createClaims } = await import(`${DIST}runs/create-claims.js`);
const { expireDueRuns } = await import(`${DIST}runs/expire-runs.js`);
const { submitRun } = await import(`${DIST}runs/submit-run.js`);
const { recordIntent } = await import(`${DIST}sessions/intents.js`);
const { LeasedStore } = await import(`${DIST}sessions/leased-store.js`);
const { HostRegistry } = await import(`${DIST}worker/host-registry.js`);

const FILE = new URL("./fleet-service-times.json", import.meta.url);
const LEASE_MS = 10_000;
const TENANTS = 50;
/** How often each operation is measured. */
const TIMES = 200;
/** Running runs beside which the operations are measured again, to see what grows with the fleet. */
const RUNNING = 4_000;
/** The situation that is both measured and simulated. */
const TRIAL = { runs: 1_000, slots: 16, runMs: 50 };
const QUEUED = { runs: 100_000, tenants: 2_000 };
const LISTENERS = 60;
const END = {
  type: "done",
  costUsd: 0.01,
  usage: {
    model: "simulated",
    inputTokens: 1_000,
    outputTokens: 200,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    requests: 1,
  },
  workedMs: 50,
  outcome: { text: "Done.", stop: "completed", usage: {} },
};
const HOST = { slots: 8, active: 0, queues: ["default"], draining: false };
let tenant = 0;

const server = await openServer(process.argv[2]);
try {
  const results = {
    facts: await factsOf(server.config),
    ...(await commitTimes(server.config)),
    ...(await operationTimes(server.config)),
    trial: await trial(server.config),
    largeQueue: await largeQueue(server.config),
  };
  await writeFile(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(JSON.stringify(results, undefined, 2));
} finally {
  await server.close();
}

/** The configuration of a client of the Postgres to measure. */
async function openServer(url) {
  if (url !== undefined) return { config: { connectionString: url }, close: async () => {} };
  // Not in TMPDIR, because the path of a unix socket has at most 107 bytes.
  const folder = await mkdtemp("/tmp/fleet-times-");
  // If this program is root, Postgres runs as another user.
  await chmod(folder, 0o755);
  const keeper = await openDatabase({ folder: join(folder, "fleet") });
  const { rows } = await keeper.query(
    `select trim('"' from current_setting('unix_socket_directories')) as host, current_user as "user",
       current_database() as database`,
  );
  return {
    config: rows[0],
    close: async () => {
      await keeper.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function factsOf(config) {
  const client = new pg.Client(config);
  await client.connect();
  const { rows } = await client.query("select current_setting('server_version') as postgres");
  await client.end();
  const [load] = loadavg();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: cpus()[0].model,
    cores: availableParallelism(),
    node: process.versions.node,
    postgres: rows[0].postgres.split(" ")[0],
    loadBefore: round(load),
  };
}

/** What a commit and a NOTIFY cost, whatever was written. */
async function commitTimes(config) {
  const metered = await openMeteredConnection(config);
  const flushMs = await metered.measureFlush(TIMES);
  await metered.close();
  const alone = await notifyMs(config);
  const listeners = await listen(config);
  const heard = await notifyMs(config);
  const connectionMb = await memoryOf(listeners);
  await Promise.all(listeners.map((client) => client.end()));
  return {
    connectionMb: round(connectionMb, 2),
    flushMs: round(flushMs),
    // The processors of the machine work for the listeners, so this is their time for one of them.
    signalMs: round(((heard - alone) / LISTENERS) * availableParallelism()),
  };
}

async function listen(config) {
  const listeners = Array.from({ length: LISTENERS }, () => new pg.Client(config));
  for (const client of listeners) {
    await client.connect();
    await client.query("listen something_else");
  }
  return listeners;
}

/** The memory that each of these connections takes in the server for itself. */
async function memoryOf(clients) {
  let kilobytes = 0;
  for (const client of clients) {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const file = `/proc/${rows[0].pid}/smaps_rollup`;
    const [, dirty] = /^Private_Dirty: +(\d+) kB$/m.exec(await readFile(file, "utf8")) ?? [];
    kilobytes += Number(dirty);
  }
  return kilobytes / 1_024 / clients.length;
}

/** The time of one NOTIFY if several connections send them without a pause. */
async function notifyMs(config) {
  const senders = new pg.Pool({ ...config, max: 4 });
  const count = TIMES * 5;
  const began = performance.now();
  await inParallel(4, count, () => senders.query("select pg_notify('measured', '')"));
  const took = performance.now() - began;
  await senders.end();
  return took / count;
}

/** Every operation in an almost empty fleet, and those that grow beside many running runs. */
async function operationTimes(config) {
  const metered = await openMeteredConnection(config);
  const fleet = await openParts(metered.pool);
  const few = await measureAll(metered, fleet);
  const rowBytes = await rowSizes(metered.pool);
  await fillSlots(metered, fleet);
  const many = await measureAll(metered, fleet);
  await fleet.close();
  await metered.close();
  return { rowBytes, operations: operationsOf(few, many) };
}

function operationsOf(few, many) {
  return Object.fromEntries(
    Object.entries(few).map(([name, { databaseMs, hostMs, wallMs, walBytes, ...rest }]) => [
      name,
      {
        ...{ wallMs: round(wallMs), hostMs: round(hostMs), databaseMs: round(databaseMs) },
        databaseMsPerRun: round(Math.max(0, many[name].databaseMs - databaseMs) / RUNNING, 6),
        walBytes: Math.round(walBytes),
        ...rest,
      },
    ]),
  );
}

/** The bytes on disk of a line of a transcript with 1,000 characters, and of everything else that belongs to a run. */
async function rowSizes(pool) {
  const { rows } = await pool.query(`
    select pg_total_relation_size('hawser.entry') / (select count(*) from hawser.entry) as entry,
      (pg_total_relation_size('hawser.run') + pg_total_relation_size('hawser.segment')
        + pg_total_relation_size('hawser.charge') + pg_total_relation_size('hawser.session'))
        / (select count(*) from hawser.run) as run`);
  return { entry: Number(rows[0].entry), run: Number(rows[0].run) };
}

async function openParts(pool) {
  const database = await openDatabase(pool);
  const engine = await openEngine(database);
  const parts = { database, engine, leaseMs: LEASE_MS, logger: undefined };
  return {
    parts,
    claims: createClaims(parts),
    close: async () => {
      await engine.close();
      await database.close();
    },
  };
}

async function measureAll(metered, { parts, claims }) {
  const held = [];
  const submit = () => submitRun(parts, "Say hello.", { tenant: nextTenant() });
  const claim = () => claimLocked(parts);
  const times = {};
  times.submit = await metered.measure(TIMES, submit);
  times.claim = await metered.measure(TIMES - 1, async () => void held.push(await claim()));
  await keepAlive(metered.pool);
  const store = storeOf(parts, held[0]);
  const key = { projectKey: "bench", sessionId: held[0].run.sessionId };
  times.event = await metered.measure(TIMES, () =>
    claims.addEvents(held[0], [{ type: "text", text: "x".repeat(200) }]),
  );
  times.append = await metered.measure(TIMES, () =>
    store.append(key, [
      { type: "assistant", uuid: randomUUID(), message: "x".repeat(1_000) },
      { type: "user", uuid: randomUUID(), message: "x".repeat(1_000) },
    ]),
  );
  times.intent = await metered.measure(TIMES, () => intend(parts, held[0]));
  times.touch = await metered.measure(TIMES, () => claims.touch(held.slice(0, 8)));
  const desk = createApprovalDesk(parts);
  times.hasDue = await metered.measure(TIMES, () => parts.engine.hasDue("default"));
  times.cancelWanted = await metered.measure(TIMES, () => findCancelled(parts, held.slice(0, 8)));
  const host = await HostRegistry.open(parts.database, "host");
  times.register = await metered.measure(TIMES, () => host.write(HOST));
  times.upkeep = await metered.measure(TIMES, () => keepHouse(parts, desk));
  times.settle = await metered.measure(held.length - 1, () => claims.settle(held.pop(), END));
  while ((await claim()) !== undefined); // The two that are left over.
  times.emptyClaim = await metered.measure(TIMES, claim);
  return times;
}

/** The part of a claim that all other claims wait for. */
async function claimLocked(parts) {
  const attempt = await claimAlone(parts, (db) =>
    claimRun(parts, db, { host: "host", queue: "default" }),
  );
  return attempt.type === "claimed" ? attempt.claim : undefined;
}

/** What every worker asks each second: whether somebody has cancelled one of its runs. */
function findCancelled({ database }, claims) {
  return database.query(
    `select id from ${database.schema}.run where id = any($1::uuid[]) and cancel_requested_at is not null`,
    [claims.map(({ run }) => run.id)],
  );
}

/** What some worker does twenty times a second for the whole fleet. */
async function keepHouse(parts, desk) {
  await parts.engine.recover();
  await desk.expireDue();
  await expireDueRuns(parts);
}

function storeOf({ database }, claim) {
  const lease = { sessionId: claim.run.sessionId, epoch: claim.epoch };
  return new LeasedStore(database, lease, { isOver: () => true, onLost: () => {} });
}

function intend({ database }, { run, segment, epoch }) {
  const owner = { run: run.id, sessionId: run.sessionId, segment, epoch };
  const call = { toolUseId: randomUUID(), tool: "Bash", input: { command: "npm test" } };
  return recordIntent(database, database.schema, owner, call);
}

function nextTenant() {
  return `tenant-${tenant++ % TENANTS}`;
}

/** Begins runs that stay running. Their leases are made long, so that they are alive as long as this program. */
async function fillSlots({ pool }, { parts, claims }) {
  await pool.query("set synchronous_commit = off");
  for (let i = 0; i < RUNNING; i++) {
    await submitRun(parts, "Say hello.", { tenant: nextTenant() });
    await claims.claim({ host: "other", queues: ["default"] });
    if (i % 500 === 0) await keepAlive(pool);
  }
  await keepAlive(pool);
  await pool.query("analyze");
}

async function keepAlive(pool) {
  await pool.query(
    `update hawser.session set expires_at = clock_timestamp() + interval '1 hour' where expires_at is not null`,
  );
  await pool.query(
    `update hawser_boss.job set heartbeat_on = clock_timestamp() + interval '1 hour' where state = 'active'`,
  );
}

/** Runs that only wait, in one program with a pool of eight connections: the rate at which they are settled. */
async function trial(config) {
  const pool = new pg.Pool({ ...config, max: 8 });
  // The runs of the measurements before would slow the trial down.
  await pool.query("drop schema hawser cascade; drop schema hawser_boss cascade");
  const fleet = await openParts(pool);
  for (let i = 0; i < TRIAL.runs; i++) {
    await submitRun(fleet.parts, "Say hello.", { tenant: nextTenant() });
  }
  await pool.query("analyze");
  const claimTimes = [];
  const began = performance.now();
  await workThrough(fleet.claims, claimTimes);
  const seconds = (performance.now() - began) / 1_000;
  await fleet.close();
  await pool.end();
  return { ...TRIAL, perSecond: round(TRIAL.runs / seconds), claimMs: round(median(claimTimes)) };
}

/** What a claim costs if very many runs of many tenants wait. */
async function largeQueue(config) {
  const metered = await openMeteredConnection(config);
  const { parts, close } = await openParts(metered.pool);
  const template = await submitRun(parts, "Say hello.", { tenant: "template" });
  await fillQueue(parts.database, { ...QUEUED, template, rankOf: (tag) => rankOf(0, tag, 0) });
  await metered.pool.query("analyze");
  const { hostMs, databaseMs } = await metered.measure(TIMES, () => claimLocked(parts));
  await close();
  await metered.close();
  return { ...QUEUED, hostMs: round(hostMs), databaseMs: round(databaseMs) };
}

/** Claims one run after the other while a slot is free, as a worker does. */
async function workThrough(claims, claimTimes) {
  const running = new Set();
  for (;;) {
    const began = performance.now();
    const claim = await claims.claim({ host: "host", queues: ["default"] });
    if (claim === undefined) break;
    claimTimes.push(performance.now() - began);
    const work = settleLater(claims, claim).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= TRIAL.slots) await Promise.race(running);
  }
  await Promise.all(running);
}

async function settleLater(claims, claim) {
  await new Promise((resolve) => setTimeout(resolve, TRIAL.runMs));
  await claims.settle(claim, END);
}

async function inParallel(workers, count, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

function round(value, digits = 4) {
  return Number(value.toFixed(digits));
}
