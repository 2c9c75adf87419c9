import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { openUrl } from "../../src/database/postgres/open-server.js";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database-proxy.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let server: TestDatabase;
beforeAll(async () => {
  server = await createDatabase();
});
afterAll(() => server.dispose());

/** Collects what a channel says. */
async function hear(database: Database): Promise<(string | undefined)[]> {
  const heard: (string | undefined)[] = [];
  await database.listen("event", (payload) => heard.push(payload));
  return heard;
}

const LOST = expect.objectContaining({ code: "database_unavailable", retryable: true });

describe.each([
  ["a URL", (url: string) => openDatabase(url)],
  ["a URL object", (url: string) => openDatabase(new URL(url))],
  ["a pool", (url: string) => openDatabase(new pg.Pool({ connectionString: url, max: 2 }))],
  ["PGlite", () => openDatabase(":memory:")],
])("Database by %s", (_name, open) => {
  let database: Database;
  beforeAll(async () => {
    database = await open(server.url);
    await database.query("create table if not exists public.thing (value bigint, at timestamptz)");
    await database.query("truncate public.thing");
  });
  afterAll(() => database.close());

  it("returns rows and their count", async () => {
    const inserted = await database.query(
      "insert into public.thing (value, at) values ($1, $2), ($3, $2)",
      [1, new Date("2026-11-17T12:00:00Z"), 9_007_199_254_740_993n],
    );
    expect(inserted.rowCount).toBe(2);
    const { rows, rowCount } = await database.query("select * from public.thing order by value");
    expect(rowCount).toBe(2);
    expect(rows).toEqual([
      { value: "1", at: new Date("2026-11-17T12:00:00Z") },
      { value: "9007199254740993", at: new Date("2026-11-17T12:00:00Z") },
    ]);
    expect((await database.query("delete from public.thing")).rowCount).toBe(2);
  });

  it("sends and returns values of all types alike", async () => {
    const { rows } = await database.query(
      `select $1::int as int, $2::text[] as texts, $3::jsonb as json, $4::boolean as bool, $5::numeric as numeric,
         $6::uuid[] as ids, $7::text as null, $8::bytea as bytes, date '2026-11-17' as date, $9::float8 as float,
         $10::int[] as ints, $11::text as quoted`,
      [
        7,
        ["a", 'b"c', "d,e", "\\"],
        { a: [1, "ü"] },
        true,
        "12.50",
        ["6f0d5a34-9a1c-4f6e-8f0e-000000000000"],
        null,
        Buffer.from([0, 255]),
        0.1,
        [1, 2],
        "it's",
      ],
    );
    expect(rows).toEqual([
      {
        int: 7,
        texts: ["a", 'b"c', "d,e", "\\"],
        json: { a: [1, "ü"] },
        bool: true,
        numeric: "12.50",
        ids: ["6f0d5a34-9a1c-4f6e-8f0e-000000000000"],
        null: null,
        bytes: Buffer.from([0, 255]),
        date: new Date(2026, 10, 17),
        float: 0.1,
        ints: [1, 2],
        quoted: "it's",
      },
    ]);
  });

  it("commits what resolves, and rolls back what rejects", async () => {
    const value = await database.transaction(async (db) => {
      await db.query("insert into public.thing (value) values (1)");
      return "done";
    });
    expect(value).toBe("done");
    await expect(
      database.transaction(async (db) => {
        await db.query("insert into public.thing (value) values (2)");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    const failed = database.transaction((db) => db.query("select 1 / 0"));
    await expect(failed).rejects.toMatchObject({ code: "22012" });
    const { rows } = await database.query("delete from public.thing returning value");
    expect(rows).toEqual([{ value: "1" }]);
  });

  it("refuses statements of a transaction that is over", async () => {
    let late = () => Promise.resolve<unknown>(undefined);
    await database.transaction(async (db) => {
      late = () => db.query("select 1");
    });
    await expect(late()).rejects.toMatchObject({ code: "closed" });
  });

  it("notifies once for equal notifications when the transaction commits, and not if it rolls back", async () => {
    const heard = await hear(database);
    await database.transaction(async (db) => {
      await database.notify(db, "event", "one");
      await database.notify(db, "event", "one");
      await database.notify(db, "wake", "another channel");
    });
    await expect(
      database.transaction(async (db) => {
        await database.notify(db, "event", "two");
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    await database.notify(database, "event", "three");
    await vi.waitFor(() => expect(heard).toEqual(["one", "three"]), 60_000);
  });

  it("stops calling back when the returned function is called", async () => {
    const first: unknown[] = [];
    const second: unknown[] = [];
    const stop = await database.listen("cancel", (payload) => first.push(payload));
    await database.listen("cancel", (payload) => second.push(payload));
    await database.notify(database, "cancel", "one");
    await vi.waitFor(() => expect(second).toEqual(["one"]), 60_000);
    stop();
    stop();
    await database.notify(database, "cancel", "two");
    await vi.waitFor(() => expect(second).toEqual(["one", "two"]), 60_000);
    expect(first).toEqual(["one"]);
  });

  it("refuses everything after close()", async () => {
    await database.listen("wake", () => {});
    await Promise.all([database.close(), database.close()]);
    await expect(database.query("select 1")).rejects.toMatchObject({ code: "closed" });
    await expect(database.transaction(async () => 1)).rejects.toMatchObject({ code: "closed" });
    await expect(database.listen("wake", () => {})).rejects.toMatchObject({ code: "closed" });
  });
});

describe("Database behind a network that fails", () => {
  let proxy: DatabaseProxy;
  let database: Database;
  beforeAll(async () => {
    proxy = await startDatabaseProxy(server.url);
    database = await openDatabase(proxy.url);
    await database.query("create table public.kept (value integer)");
  });
  afterAll(async () => {
    await database.close();
    await proxy.close();
  });

  it("rejects a statement whose connection is lost with database_unavailable, and goes on with a new one", async () => {
    const slow = database.query("select pg_sleep(60)");
    slow.catch(() => {});
    await running("select pg_sleep(60)");
    proxy.cut();
    await expect(slow).rejects.toEqual(LOST);
    // Other connections of the pool were cut too, and each of them may fail once.
    await vi.waitFor(async () => {
      expect((await database.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    }, 60_000);
  });

  it("rolls back a transaction whose connection is lost, and says so", async () => {
    const lost = database.transaction(async (db) => {
      await db.query("insert into public.kept values (1)");
      proxy.cut();
      await db.query("insert into public.kept values (2)");
    });
    await expect(lost).rejects.toEqual(LOST);
    await vi.waitFor(async () => {
      expect((await database.query("select * from public.kept")).rows).toEqual([]);
    }, 60_000);
  });

  it.each([
    [true, [{ value: 3 }]],
    [false, []],
  ])(
    "says that it is unknown whether a transaction took effect if COMMIT is lost (arrived: %s)",
    async (forward, rows) => {
      const lost = database.transaction(async (db) => {
        await db.query("insert into public.kept values (3)");
        proxy.cutAt("commit", { forward });
      });
      await expect(lost).rejects.toMatchObject({
        code: "database_unavailable",
        message: expect.stringContaining("unknown whether the transaction took effect"),
      });
      await vi.waitFor(async () => {
        expect((await database.query("select * from public.kept")).rows).toEqual(rows);
      }, 60_000);
      await database.query("truncate public.kept");
    },
  );

  it("listens again by itself, and says once that something may have been missed", async () => {
    const heard = await hear(database);
    await database.notify(database, "event", "before");
    await vi.waitFor(() => expect(heard).toEqual(["before"]), 60_000);
    proxy.cut();
    await vi.waitFor(() => expect(heard).toEqual(["before", undefined]), 60_000);
    await database.notify(database, "event", "after");
    await vi.waitFor(() => expect(heard).toEqual(["before", undefined, "after"]), 60_000);
  });

  it("listens again after a connection that went silent before LISTEN was answered", async () => {
    const heard = await hear(database);
    const silent = proxy.silenceAt("listen ");
    proxy.cut();
    await silent;
    // The caller waits for the same connection, and is told that it failed.
    await expect(database.listen("approval", () => {})).rejects.toEqual(LOST);
    await vi.waitFor(() => expect(heard).toContain(undefined), 60_000);
    await database.listen("approval", () => {});
    await database.notify(database, "event", "after");
    await vi.waitFor(() => expect(heard).toContain("after"), 60_000);
  });

  it("listens again after a connection that goes silent in a further LISTEN", async () => {
    const heard = await hear(database);
    const silent = proxy.silenceAt('listen "hawser_cancel"');
    await expect(database.listen("cancel", () => {})).rejects.toEqual(LOST);
    await silent;
    await vi.waitFor(() => expect(heard).toEqual([undefined]), 60_000);
  });

  it("gives up a statement when the network is silent", async () => {
    const impatient = openUrl(proxy.url, {
      schema: "hawser",
      logger: undefined,
      statementTimeoutMs: 3000,
    });
    await impatient.query("select 1");
    proxy.freeze();
    await expect(impatient.query("select 1")).rejects.toEqual(LOST);
    proxy.resume();
    expect((await impatient.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    proxy.freeze();
    await expect(impatient.transaction(async (db) => db.query("select 1"))).rejects.toEqual(LOST);
    proxy.resume();
    proxy.cut();
    await impatient.close();
  });

  it("ends a statement on the server in time, and keeps the connection", async () => {
    const impatient = openUrl(server.url, {
      schema: "hawser",
      logger: undefined,
      statementTimeoutMs: 1000,
    });
    const slow = impatient.transaction((db) => db.query("select pg_sleep(61)"));
    await expect(slow).rejects.toEqual(LOST);
    await impatient.close();
    const { rows } = await database.query(
      "select query from pg_stat_activity where datname = current_database() and state = 'active' and query like '%pg_sleep(61)%' and pid <> pg_backend_pid()",
    );
    expect(rows).toEqual([]);
  });

  it("sends no settings at the start of a connection that PgBouncer would refuse", () => {
    expect(proxy.startPackets.length).toBeGreaterThan(0);
    for (const packet of proxy.startPackets) {
      const names = packet
        .slice(8)
        .split("\0")
        .filter((_, at) => at % 2 === 0)
        .filter((name) => name !== "");
      expect(new Set(names)).toEqual(
        new Set(["user", "database", "application_name", "client_encoding"]),
      );
    }
  });

  /** Resolves when a session of the database runs the statement. */
  async function running(statement: string): Promise<void> {
    await vi.waitFor(async () => {
      const { rows } = await database.query(
        "select 1 from pg_stat_activity where query = $1 and state = 'active'",
        [statement],
      );
      expect(rows).toHaveLength(1);
    }, 60_000);
  }
});

describe("Database that answers that it cannot do it now", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(server.url);
    await database.query(
      "create table public.busy as select 1 as id, 0 as value union select 2, 0",
    );
  });
  afterAll(() => database.close());

  /** What both of two transactions end with that change two rows in opposite order. */
  function deadlock() {
    const locked: Promise<unknown>[] = [];
    const change = (first: number, second: number) =>
      database.transaction(async (db) => {
        const own = db.query("update public.busy set value = value + 1 where id = $1", [first]);
        locked.push(own);
        await own;
        await vi.waitFor(() => expect(locked).toHaveLength(2), 60_000);
        await Promise.all(locked);
        await db.query("update public.busy set value = value + 1 where id = $1", [second]);
      });
    return Promise.allSettled([change(1, 2), change(2, 1)]);
  }

  it("says that transactions waited for each other", async () => {
    const failed = (await deadlock()).find(({ status }) => status === "rejected");
    expect(failed).toMatchObject({
      reason: {
        code: "database_unavailable",
        retryable: true,
        message:
          "The transaction and another one waited for each other, and it was rolled back: deadlock detected",
      },
    });
  });

  it("says that transactions conflict", async () => {
    const late = database.transaction(async (db) => {
      await db.query("set transaction isolation level repeatable read");
      await db.query("select * from public.busy");
      await database.query("update public.busy set value = 7");
      await db.query("update public.busy set value = 8");
    });
    await expect(late).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: true,
      message: expect.stringMatching(/^The transaction conflicts with another one, and was rolled/),
    });
  });

  it("says that it did not get a lock in time", async () => {
    await database.transaction(async (db) => {
      await db.query("lock table public.busy");
      const second = database.transaction(async (other) => {
        await other.query("set local lock_timeout = 1");
        await other.query("select * from public.busy");
      });
      await expect(second).rejects.toMatchObject({
        code: "database_unavailable",
        retryable: true,
        message: expect.stringMatching(/^The database did not get a lock in time: /),
      });
    });
  });

  it("says that a statement took too long", async () => {
    const slow = database.transaction(async (db) => {
      await db.query("set local statement_timeout = 1");
      await db.query("select pg_sleep(60)");
    });
    await expect(slow).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: true,
      message: "The database cancelled the statement: canceling statement due to statement timeout",
    });
  });

  it.each([
    ["53100", "The disk of the database is full: full"],
    ["53300", "The database has no connection left: full"],
    ["53400", "The database has reached one of its limits: full"],
  ])("says what SQLSTATE %s means", async (state, message) => {
    const raised = database.query(
      `do $$ begin raise exception 'full' using errcode = '${state}'; end $$`,
    );
    await expect(raised).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: true,
      message,
    });
  });
});

describe("Database and its connections", () => {
  it("does not end the caller's pool, and leaves no listener on it", async () => {
    const pool = new pg.Pool({ connectionString: server.url, max: 1 });
    const listeners = pool.listenerCount("error");
    const database = await openDatabase(pool);
    const heard = await hear(database);
    await database.transaction((db) => database.notify(db, "event", "one"));
    await vi.waitFor(() => expect(heard).toEqual(["one"]), 60_000);
    await database.close();
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    expect(pool.listenerCount("error")).toBe(listeners);
    await pool.end();
  });

  it("calls itself hawser, unless the URL says another name", async () => {
    const plain = await openDatabase(server.url);
    const url = new URL(server.url);
    url.searchParams.set("application_name", "billing");
    const named = await openDatabase(url);
    const [one, two] = await Promise.all(
      [plain, named].map((database) => database.query("show application_name")),
    );
    expect([one?.rows, two?.rows]).toEqual([
      [{ application_name: "hawser" }],
      [{ application_name: "billing" }],
    ]);
    await plain.close();
    await named.close();
  });

  it("says database_unavailable without the password if nothing answers", async () => {
    const error: unknown = await openDatabase("postgres://alice:s3cret%2Fpass@127.0.0.1:1/x").catch(
      (reason: unknown) => reason,
    );
    expect(error).toEqual(LOST);
    const { message, stack, cause, hint } = error as Error & { hint: string };
    expect(JSON.stringify([message, stack, hint, String(cause), cause])).not.toMatch(/s3cret/);
  });

  it("says that a retry does not help if there is no such database", async () => {
    const url = new URL(server.url);
    url.pathname = "/no_such_database";
    await expect(openDatabase(url)).rejects.toMatchObject({
      code: "database_unavailable",
      retryable: false,
      hint: expect.stringContaining("name of the database"),
    });
  });

  it.each(["", "localhost", "mysql://localhost/x", "./folder"])(
    "refuses %j as a database with invalid_options",
    async (target) => {
      await expect(openDatabase(target)).rejects.toMatchObject({ code: "invalid_options" });
    },
  );
});
