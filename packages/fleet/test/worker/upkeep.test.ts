import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import { submitRun } from "../../src/runs/submit-run.js";
import { createRunWorld, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
let fleet: Fleet;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
  fleet = await openFleet({ database: world.url });
});
afterAll(async () => {
  await fleet.close();
  await world[Symbol.asyncDispose]();
});

describe("a worker", () => {
  it("ends late runs and recovers runs of silent hosts while a caller's transaction has the session of a late run", async () => {
    const elsewhere = { queue: randomUUID() };
    const [busy, late] = [await program.submit(elsewhere), await program.submit(elsewhere)];
    const caller = new pg.Client({ connectionString: world.url });
    await caller.connect();
    await caller.query("begin");
    const { sessionId } = await busy.info();
    await submitRun(program.parts, "Go.", { session: sessionId, db: caller });
    for (const { id } of [busy, late]) {
      await program.rows("update hawser.run set deadline = clock_timestamp() where id = $1", [id]);
    }
    const queue = randomUUID();
    const lost = await program.submit({ queue });
    const claim = await program.claims.claim({ host: "silent", queues: [queue] });
    await fleet.work({ labels: [queue], profiles: { default: () => new Promise(() => {}) } });
    while ((await late.info()).state !== "failed") await sleep(20);
    await program.rows(
      "update hawser_boss.job set heartbeat_on = heartbeat_on - interval '11 seconds' where id = $1",
      [claim?.job.id],
    );
    await program.rows(
      "update hawser.session set expires_at = expires_at - interval '11 seconds' where id = $1",
      [claim?.run.sessionId],
    );
    for await (const event of lost.events()) if (event.type === "lost") break;
    expect((await busy.info()).state).toBe("queued");
    await caller.query("rollback");
    await caller.end();
    await expect(busy.result()).rejects.toMatchObject({ code: "timeout" });
  });

  it("reports a query that fails after its listener was connected again, and goes on", async () => {
    const queue = randomUUID();
    const reported: string[] = [];
    const report = (what: string) => void reported.push(what);
    const logger = { debug: () => {}, info: () => {}, warn: report, error: report };
    const worker = await fleet.work({
      labels: [queue],
      profiles: { default: () => new Promise(() => {}) },
      logger,
    });
    const run = await program.submit({ queue });
    while (worker.active === 0) await sleep(20);
    // The table refuses the question for cancelled runs, and a listener that is lost makes the worker ask it.
    await program.rows("alter table hawser.run rename column cancel_requested_at to hidden");
    try {
      await program.rows(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen %' and datname = current_database()",
      );
      while (!reported.includes("Cancelled runs could not be looked for.")) await sleep(20);
    } finally {
      await program.rows("alter table hawser.run rename column hidden to cancel_requested_at");
    }
    await run.cancel("enough");
    await expect(run.result()).rejects.toMatchObject({ code: "run_cancelled" });
    await worker.close();
  });

  it("closes while it refuses the runs of a tenant whose budget is spent, and leaves the rest of them", async () => {
    const [queue, tenant] = [randomUUID(), randomUUID()];
    const submit = () => program.submit({ queue, tenant });
    const runs = await Promise.all(Array.from({ length: 200 }, submit));
    await program.tenants.set(tenant, { budgetUsd: { total: 0 } });
    // A function, because the CLI of a static profile is looked for at the start.
    const worker = await fleet.work({ labels: [queue], profiles: { default: () => ({}) } });
    const count = async (state: string) => {
      const sql = "select 1 from hawser.run where tenant = $1 and state = $2";
      return (await program.rows(sql, [tenant, state])).length;
    };
    while ((await count("failed")) === 0) await sleep(1);
    await worker.close();
    expect(await count("queued")).toBeGreaterThan(0);
    expect((await count("queued")) + (await count("failed"))).toBe(runs.length);
  });
});
