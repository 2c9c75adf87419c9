import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import { collect } from "../support/collect.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";
import {
  createRunWorld,
  doneWith,
  failedWith,
  type RunProgram,
  type RunWorld,
} from "../support/run-world.js";

describe("openFleet()", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.dispose());

  it("opens an empty fleet whose statistics are zeros", async () => {
    await using fleet = await openFleet({ database: database.url });
    expect(await fleet.stats()).toEqual({
      database: {
        kind: "server",
        schemaVersion: expect.any(Number),
        postgres: expect.stringMatching(/^\d+/),
      },
      runs: { queued: 0, held: 0, running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 },
      hosts: [],
      approvals: 0,
      accounts: [],
    });
    expect(await fleet.usage("nobody")).toMatchObject({ tenant: "nobody", costUsd: 0, runs: 0 });
    expect(await collect(fleet.runs())).toEqual([]);
  });

  it("makes its tables in another schema, beside the first", async () => {
    await using fleet = await openFleet({ database: database.url, schema: "other_fleet" });
    const run = await fleet.submit("Say hello.");
    expect((await fleet.stats()).runs.queued).toBe(1);
    await run.cancel();
    await using first = await openFleet({ database: database.url });
    expect((await first.stats()).runs.cancelled).toBe(0);
  });

  it("ends everything with closed after close(), and may be closed again", async () => {
    const fleet: Fleet = await openFleet({ database: database.url });
    const run = await fleet.submit("Say hello.");
    const waiting = run.result().catch((error: unknown) => error);
    await run.info();
    await Promise.all([fleet.close(), fleet.close()]);
    await fleet[Symbol.asyncDispose]();
    expect(await waiting).toMatchObject({ code: "closed" });
    const calls: (() => unknown)[] = [
      () => fleet.submit("Say hello."),
      () => fleet.run(run.id).info(),
      () => run.result(),
      () => run.cancel(),
      () => run.retry(),
      () => collect(run.events()),
      () => collect(fleet.runs()),
      () => fleet.stats(),
      () => fleet.usage("default"),
      () => fleet.prune({ olderThan: new Date() }),
      () => fleet.tenants.get("default"),
      () => fleet.approvals.pending(),
      () => fleet.work({ profiles: { default: {} } }),
      () => fleet.conversation({ channel: "web", user: "ada" }),
    ];
    for (const call of calls) {
      await expect((async () => await call())()).rejects.toMatchObject({ code: "closed" });
    }
  });

  it.each([
    ["a lease below 10 seconds", { leaseMs: 5_000 }],
    ["a lease of broken seconds", { leaseMs: 10_500 }],
    ["a schema that is no name", { schema: "" }],
  ])("refuses %s, and leaves no connection open", async (_title, options) => {
    await expect(openFleet({ database: database.url, ...options })).rejects.toMatchObject({
      code: "invalid_options",
    });
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      // The server notices the end of a connection a little later than the program.
      await vi.waitFor(async () => {
        const { rows } = await client.query(
          "select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
        expect(rows).toEqual([]);
      }, 30_000);
    } finally {
      await client.end();
    }
  });
});

describe("runs(), prune() and stats()", () => {
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

  it("lists runs from the newest on, page by page, by tenant, state and session", async () => {
    const runs = [];
    for (let index = 0; index < 7; index++) {
      runs.push(await fleet.submit(`Run ${index}`, { tenant: index % 2 === 0 ? "even" : "odd" }));
    }
    const claim = await program.claim();
    await program.claims.settle(claim, doneWith("done"));
    const ids = async (filter: Parameters<Fleet["runs"]>[0]) =>
      (await collect(fleet.runs(filter))).map(({ id }) => id);
    const newestFirst = runs.map(({ id }) => id).reverse();
    expect(await ids({})).toEqual(newestFirst);
    expect(await ids({ limit: 2 })).toEqual(newestFirst.slice(0, 2));
    expect(await ids({ limit: 0 })).toEqual([]);
    expect(await ids({ tenant: "odd" })).toEqual(newestFirst.filter((_, index) => index % 2 === 1));
    expect(await ids({ state: "done" })).toEqual([claim.run.id]);
    expect(await ids({ state: ["done", "queued"], tenant: "even" })).toHaveLength(4);
    expect(await ids({ session: claim.run.sessionId })).toEqual([claim.run.id]);
    const stats = await fleet.stats();
    expect(stats.runs).toMatchObject({ done: 1, queued: 6 });
    for (const run of runs) await run.cancel();
  });

  it("refuses an id that has not the form of one", async () => {
    await expect(fleet.run("latest").info()).rejects.toMatchObject({ code: "invalid_options" });
    await expect(collect(fleet.runs({ session: "latest" }))).rejects.toMatchObject({
      code: "invalid_options",
    });
  });

  it("lists more than a page, while new runs come", async () => {
    const submitted: string[] = [];
    for (let index = 0; index < 230; index += 10) {
      const some = await Promise.all(
        Array.from({ length: 10 }, () => fleet.submit("Many", { tenant: "many" })),
      );
      submitted.push(...some.map(({ id }) => id));
    }
    const listed: string[] = [];
    for await (const { id } of fleet.runs({ tenant: "many" })) {
      listed.push(id);
      if (listed.length % 50 === 0) await fleet.submit("One more", { tenant: "many" });
    }
    expect(listed).toHaveLength(230);
    expect(new Set(listed)).toEqual(new Set(submitted));
  });

  it("prunes settled runs with all that belongs to them, and keeps the others and the money", async () => {
    await using own = await createRunWorld();
    const by = await own.open();
    await using pruned = await openFleet({ database: own.url });
    const old = await by.submit({ tenant: "ada" });
    const claim = await by.claim();
    await by.rows(
      `insert into hawser.intent (run_id, tool_use_id, segment, epoch, tool, input) values ($1, 'c', 1, 1, 'Bash', '{}')`,
      [old.id],
    );
    await by.rows(
      `insert into hawser.approval (run_id, tool_use_id, tenant, session_id, epoch, question)
       values ($1, 'c', 'ada', $2, 1, '{}')`,
      [old.id, claim.run.sessionId],
    );
    await by.claims.settle(claim, doneWith("old", 0.5));
    const shared = await by.submit({ tenant: "ada" });
    const sharedClaim = await by.claim();
    await by.claims.settle(sharedClaim, doneWith("its session goes on"));
    const open = await by.submit({ tenant: "ada", session: sharedClaim.run.sessionId });
    await by.rows(
      "update hawser.run set ended_at = ended_at - interval '1 day' where ended_at is not null",
    );
    await by.rows("update hawser.session set created_at = created_at - interval '1 day'");
    const failed = await by.submit({ tenant: "ada" });
    const next = await by.claim();
    const last = next.run.id === failed.id ? next : await by.claim();
    await by.claims.settle(last, failedWith());

    expect(await pruned.prune({ olderThan: new Date(Date.now() - 3_600_000) })).toBe(2);
    for (const id of [old.id, shared.id]) {
      await expect(pruned.run(id).info()).rejects.toMatchObject({ code: "invalid_options" });
    }
    for (const table of ["segment", "event", "intent", "charge", "approval"]) {
      const rows = await by.rows(`select 1 from hawser.${table} where run_id = $1`, [old.id]);
      expect([table, rows]).toEqual([table, []]);
    }
    const sessions = await by.rows<{ id: string }>("select id from hawser.session");
    const sessionIds = sessions.map(({ id }) => id);
    expect(sessionIds).not.toContain(claim.run.sessionId);
    expect(sessionIds).toContain(sharedClaim.run.sessionId);
    expect((await open.info()).tenant).toBe("ada");
    expect((await pruned.usage("ada")).costUsd).toBeCloseTo(0.5 + 0.01 + 0.01);
    // A failed run that is kept can be retried.
    expect(await pruned.run(failed.id).retry()).toBe(true);
    expect(await pruned.prune({ olderThan: new Date(Date.now() - 3_600_000) })).toBe(0);
  });
});
