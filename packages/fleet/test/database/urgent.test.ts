import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/database/open-database.js";
import { startDatabaseProxy } from "../support/database-proxy.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server.dispose());

/** Longer than any answer takes on a busy machine. */
const LIMIT_MS = 5_000;
const ONE = { rows: [{ one: 1 }] };

describe("Database.urgent()", () => {
  it("answers although all connections of the pool are in use", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const database = await openDatabase(pool);
    await database.transaction(async () => {
      const answer = database.urgent(LIMIT_MS).query("select 1 as one");
      await expect(answer).resolves.toMatchObject(ONE);
    });
    await database.close();
    await pool.end();
  });

  it("gives up a silent connection after the limit, and goes on with a new one", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const database = await openDatabase(proxy.url);
    expect(await database.urgent(LIMIT_MS).query("select 1 as one")).toMatchObject(ONE);
    proxy.silence();
    await expect(database.urgent(100).query("select 1 as one")).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: true,
    });
    expect(await database.urgent(LIMIT_MS).query("select 1 as one")).toMatchObject(ONE);
    await database.close();
    await proxy.close();
  });

  it("gives up a connection that is not established within the limit", async () => {
    const proxy = await startDatabaseProxy(server.url);
    const database = await openDatabase(proxy.url);
    proxy.freeze();
    await expect(database.urgent(100).query("select 1")).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: true,
    });
    proxy.resume();
    expect(await database.urgent(LIMIT_MS).query("select 1 as one")).toMatchObject(ONE);
    await database.close();
    await proxy.close();
  });

  it("runs statements that are made at once one after the other, also after one that fails", async () => {
    const database = await openDatabase(server.url);
    const urgent = database.urgent(LIMIT_MS);
    const answers = await Promise.allSettled([
      urgent.query("select 1 / 0"),
      urgent.query("select $1::int as one", [1]),
      urgent.query("select 1 as one"),
    ]);
    expect(answers).toMatchObject([
      { status: "rejected", reason: { code: "22012" } },
      { status: "fulfilled", value: ONE },
      { status: "fulfilled", value: ONE },
    ]);
    await database.close();
    await expect(urgent.query("select 1")).rejects.toMatchObject({ code: "closed" });
  });

  it("uses a connection of the pool if the server refuses another one", async () => {
    const url = new URL(server.url);
    const owner = await openDatabase(url);
    url.username = `limited_${url.pathname.slice(1)}`;
    await owner.query(
      `create role ${url.username} login connection limit 1;
       grant select on all tables in schema hawser to ${url.username}; grant usage on schema hawser to ${url.username}`,
    );
    const pool = new pg.Pool({ connectionString: url.href, max: 1 });
    const database = await openDatabase(pool, { migrate: false });
    const used = "select usename::text as user from pg_stat_activity where pid = pg_backend_pid()";
    expect((await database.urgent(LIMIT_MS).query(used)).rows).toEqual([{ user: url.username }]);
    await database.close();
    await pool.end();
    await owner.query(`drop owned by ${url.username}; drop role ${url.username}`);
    await owner.close();
  });

  it("runs on PGlite too", async () => {
    const database = await openDatabase(":memory:");
    expect(await database.urgent(LIMIT_MS).query("select 1 as one")).toMatchObject(ONE);
    await database.close();
  });
});
