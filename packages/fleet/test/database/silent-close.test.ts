import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDatabase } from "../../src/database/open-database.js";
import { openFleet } from "../../src/open-fleet.js";
import { startDatabaseProxy } from "../support/database-proxy.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";
import { unknownId } from "../support/run-world.js";

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server.dispose());

// Well below the minute after which a statement is given up.
describe.concurrent("close() of a database that is silent", { timeout: 50_000 }, () => {
  it("resolves although the server does not confirm the end of any connection", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const database = await openDatabase(proxy.url);
    await database.listen("event", () => {});
    await database.urgent(5_000).query("select 1");
    proxy.freeze();
    await database.close();
    await proxy.close();
  });

  it("ends a statement that waits for an answer, and a transaction", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const database = await openDatabase(proxy.url);
    const statement = database.query("select pg_sleep(600)");
    const transaction = database.transaction((db) => db.query("select pg_sleep(600)"));
    const ended = Promise.allSettled([statement, transaction]);
    await vi.waitFor(async () => {
      const { rows } = await database.query(
        "select 1 from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(600)'",
      );
      expect(rows).toHaveLength(2);
    }, 20_000);
    proxy.freeze();
    await database.close();
    const lost = { status: "rejected", reason: { code: "database_unavailable" } };
    expect(await ended).toMatchObject([lost, lost]);
    await proxy.close();
  });

  it("resolves while a connection that listens is being made", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const database = await openDatabase(proxy.url);
    const silent = proxy.silenceAt("listen ");
    const listening = database.listen("event", () => {}).catch((error: unknown) => error);
    await silent;
    await database.close();
    expect(await listening).toMatchObject({ code: expect.stringMatching(/closed|unavailable/) });
    await proxy.close();
  });

  it("lets fleet.close() resolve", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const fleet = await openFleet({ database: proxy.url });
    await expect(fleet.run(unknownId()).result()).rejects.toThrow("There is no run");
    proxy.freeze();
    await fleet.close();
    await proxy.close();
  });

  it("lets fleet.close() resolve while pg-boss waits for an answer", async () => {
    const proxy = await startDatabaseProxy(server.url);
    // The background work of pg-boss begins with this column when a fleet is opened.
    const silent = proxy.silenceAt("bam_on = ");
    const fleet = await openFleet({ database: proxy.url });
    await silent;
    await fleet.close();
    await proxy.close();
  });
});
