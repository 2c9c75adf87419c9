import { afterEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { openEngine } from "../../src/engine/open-engine.js";
import { createDatabase } from "../support/postgres.js";

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function emptyDatabase(schema?: string): Promise<Database> {
  const { url, dispose } = await createDatabase({ empty: true });
  opened.push(dispose);
  const database = await openDatabase(url, { schema });
  opened.push(() => database.close());
  return database;
}

describe("openEngine()", () => {
  it("makes the tables of the queue, once for ten programs that open it at once", async () => {
    const database = await emptyDatabase("team");
    const engines = await Promise.all(Array.from({ length: 10 }, () => openEngine(database)));
    const { rows } = await database.query(
      "select count(*)::int as versions from team_boss.version",
    );
    expect(rows).toEqual([{ versions: 1 }]);
    await Promise.all(engines.map((engine) => engine.close()));
  });

  it("refuses a database without tables if migrate is false", async () => {
    const database = await emptyDatabase();
    await expect(openEngine(database, { migrate: false })).rejects.toMatchObject({
      code: "not_supported",
      hint: expect.stringContaining("hawser fleet migrate"),
    });
    await (await openEngine(database)).close();
    await (await openEngine(database, { migrate: false })).close();
  });

  it.each([true, false])("refuses tables of a newer pg-boss (migrate: %s)", async (migrate) => {
    const database = await emptyDatabase();
    await (await openEngine(database)).close();
    await database.query("update hawser_boss.version set version = version + 1");
    await expect(openEngine(database, { migrate })).rejects.toMatchObject({
      code: "not_supported",
      hint: expect.stringContaining("update @hawser/fleet"),
    });
  });

  it("refuses a leaseMs that is not whole seconds from 10 seconds to a day with invalid_options", async () => {
    const database = await emptyDatabase();
    for (const leaseMs of [0, 9_999, 10_500, 90_000_000, Number.NaN, -1]) {
      await expect(openEngine(database, { leaseMs })).rejects.toMatchObject({
        code: "invalid_options",
      });
    }
  });

  it("deletes jobs that ended a day ago, in the background", async () => {
    const database = await emptyDatabase();
    const engine = await openEngine(database, { maintenanceMs: 0 });
    const job = await database.transaction((db) =>
      engine.send({ queue: "old", run: "r", session: "s", group: "g", rank: 0 }, db),
    );
    await database.transaction((db) => engine.cancel(job, "old", db));
    await database.query("update hawser_boss.job set completed_on = now() - interval '2 days'");
    await engine.recover();
    await vi.waitFor(async () => {
      expect((await database.query("select 1 from hawser_boss.job")).rows).toEqual([]);
    }, 60_000);
    await engine.close();
  });
});
