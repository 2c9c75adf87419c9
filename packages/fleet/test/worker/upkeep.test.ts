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
});
