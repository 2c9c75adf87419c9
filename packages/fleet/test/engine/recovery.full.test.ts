import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import type { Engine } from "../../src/engine/engine.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

const LEASE_MS = 10_000;

describe("Engine.recover() in real time", () => {
  let server: TestDatabase;
  let database: Database;
  let engine: Engine;
  beforeAll(async () => {
    server = await createDatabase();
    database = await openDatabase(server.url);
    engine = await openEngine(database, { leaseMs: LEASE_MS });
  });
  afterAll(async () => {
    await engine.close();
    await database.close();
    await server.dispose();
  });

  it("gives the job of a silent host to another one after the lease, and within two seconds more", async () => {
    const session = "6f0d5a34-9a1c-4f6e-8f0e-000000000000";
    const claim = () =>
      database.transaction((db) => engine.claim({ queue: "real", blocked: [] }, db));
    await database.transaction((db) =>
      engine.send({ queue: "real", run: session, session, group: "a", rank: 0 }, db),
    );
    const first = await claim();
    const began = performance.now();
    let second = await claim();
    while (second === undefined) {
      if (performance.now() - began > 10 * LEASE_MS) throw new Error("Nothing was given back.");
      await sleep(1000);
      await engine.recover();
      second = await claim();
    }
    const tookMs = performance.now() - began;
    expect(second).toEqual({ ...first, attempt: 1 });
    expect(tookMs).toBeGreaterThan(LEASE_MS - 500);
    expect(tookMs).toBeLessThan(LEASE_MS + 2000);
  });

  it("lets a frozen host block the others for seconds only", async () => {
    const lock = "select pg_advisory_xact_lock(42)";
    const began = performance.now();
    const frozen = database.transaction(async (db) => {
      await db.query(lock);
      await sleep(15_000);
      await db.query("select 1");
    });
    frozen.catch(() => {});
    await sleep(500);
    await database.transaction((db) => db.query(lock));
    expect(performance.now() - began).toBeLessThan(9_000);
    await expect(frozen).rejects.toMatchObject({ code: "database_unavailable", retryable: true });
  });
});
