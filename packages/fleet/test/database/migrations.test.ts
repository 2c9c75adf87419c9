import { afterAll, describe, expect, it } from "vitest";
import { readVersion, SCHEMA_VERSION } from "../../src/database/migrations.js";
import { openDatabase } from "../../src/database/open-database.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

const made: TestDatabase[] = [];
afterAll(() => Promise.all(made.map((database) => database.dispose())));

async function emptyDatabase(): Promise<string> {
  const database = await createDatabase({ empty: true });
  made.push(database);
  return database.url;
}

describe("openDatabase() and the tables", () => {
  it("makes the tables in an empty database, once for ten programs that open it at once", async () => {
    const url = await emptyDatabase();
    const opened = await Promise.all(Array.from({ length: 10 }, () => openDatabase(url)));
    const versions = await Promise.all(opened.map((database) => readVersion(database)));
    expect(new Set(versions)).toEqual(new Set([SCHEMA_VERSION]));
    await Promise.all(opened.map((one) => one.close()));
  });

  it("keeps the fleets of two schemas apart", async () => {
    const url = await emptyDatabase();
    const one = await openDatabase(url, { schema: "one" });
    const two = await openDatabase(url, { schema: "two" });
    await one.query(`insert into ${one.schema}.tenant (name) values ('a')`);
    expect((await two.query(`select * from ${two.schema}.tenant`)).rows).toEqual([]);
    await one.close();
    await two.close();
  });

  it("refuses tables of a newer version with not_supported and says to update", async () => {
    const url = await emptyDatabase();
    const database = await openDatabase(url);
    await database.query(`update hawser.schema_version set version = version + 1`);
    await database.close();
    await expect(openDatabase(url)).rejects.toMatchObject({
      code: "not_supported",
      hint: expect.stringContaining("update @hawser/fleet"),
    });
  });

  it("refuses a database without tables if migrate is false", async () => {
    const url = await emptyDatabase();
    await expect(openDatabase(url, { migrate: false })).rejects.toMatchObject({
      code: "not_supported",
      hint: expect.stringContaining("hawser fleet migrate"),
    });
    await (await openDatabase(url)).close();
    const database = await openDatabase(url, { migrate: false });
    expect(await readVersion(database)).toBe(SCHEMA_VERSION);
    await database.close();
  });

  it.each(["Hawser", "pg_hawser", "has space", "a".repeat(41), ""])(
    "refuses the schema name %j with invalid_options",
    async (schema) => {
      await expect(openDatabase("postgres://localhost/x", { schema })).rejects.toMatchObject({
        code: "invalid_options",
      });
    },
  );
});
