// The program of bench/fleet.js that uses the fleet. It claims and settles without a CLI where only the queue is the
// subject, by the modules inside of the package: they are no public surface.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fillQueue } from "../../packages/fleet/test/support/fill-queue.js";

// By a variable, because the types are checked before the package is built.
const DIST = new URL("../../packages/fleet/dist/", import.meta.url);
const { rankOf } = await import(`${DIST}accounting/fair-order.js`);
const { openDatabase } = await import(`${DIST}database/open-database.js`);
const { openEngine } = await import(`${DIST}engine/open-engine.js`);
const { openFleet } = await import(`${DIST}index.js`);
const { createClaims } = await import(`${DIST}runs/create-claims.js`);

const TENANTS = 50;
const RUNS = 1_000;
const ABUSIVE = 500;
const FIRST = 200;
const QUEUED = 100_000;
const QUEUED_TENANTS = 2_000;

const { cli, env } = JSON.parse(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "hawser-bench-fleet-"));
const fleet = await openFleet({ database: { folder } });
const worker = await fleet.work({
  profiles: { default: { cliPath: cli, env, inheritEnv: false } },
  slots: 1,
  labels: ["pick-up"],
});
const database = await openDatabase({ folder });
const engine = await openEngine(database);
const claims = createClaims({ database, engine, leaseMs: 10_000, logger: undefined });
let fairRounds = 0;

const ACTIONS = {
  /** From the row of the run to its claim, by the clock of the database. */
  async pickUp() {
    const run = await fleet.submit("Say hello.", { queue: "pick-up" });
    await run.result();
    const { createdAt, startedAt } = await run.info();
    return startedAt.getTime() - createdAt.getTime();
  },

  /** Jain's index over the tenants of the runs that were claimed first. */
  async fairness() {
    const queue = `fair-${fairRounds++}`;
    const tenants = Array.from({ length: RUNS }, (_, index) =>
      index < ABUSIVE ? 0 : 1 + (index % (TENANTS - 1)),
    );
    for (const tenant of tenants) {
      await fleet.submit("Say hello.", { queue, tenant: `tenant-${tenant}` });
    }
    const shares = new Map();
    for (let index = 0; index < FIRST; index += 1) {
      const { run } = await claimAndSettle(queue);
      shares.set(run.tenant, (shares.get(run.tenant) ?? 0) + 1);
    }
    const sum = [...shares.values()].reduce((total, share) => total + share, 0);
    const squares = [...shares.values()].reduce((total, share) => total + share * share, 0);
    return (sum * sum) / (TENANTS * squares);
  },

  async fill() {
    const template = await fleet.submit("Say hello.", { queue: "large", tenant: "template" });
    await fillQueue(database, {
      template: template.id,
      runs: QUEUED,
      tenants: QUEUED_TENANTS,
      rankOf: (tag) => rankOf(0, tag, 0),
    });
  },

  async claim() {
    return (await claimAndSettle("large")).ms;
  },

  async close() {
    await worker.close();
    await engine.close();
    await database.close();
    await fleet.close();
    rmSync(folder, { recursive: true, force: true });
  },
};

async function claimAndSettle(queue) {
  const beganAt = performance.now();
  const claim = await claims.claim({ host: "bench", queues: [queue] });
  const ms = performance.now() - beganAt;
  await claims.settle(claim, {
    type: "done",
    costUsd: 0,
    usage: undefined,
    workedMs: 0,
    outcome: { text: "", stop: "completed", usage: {} },
  });
  return { ms, run: claim.run };
}

process.on("message", async (/** @type {{ what: keyof typeof ACTIONS }} */ { what }) => {
  try {
    process.send?.({ done: true, value: await ACTIONS[what]() });
  } catch (error) {
    process.send?.({ error: error.stack });
  }
});
process.send?.({ done: true });
