import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fleet } from "../../src/fleet.js";
import { openFleet } from "../../src/open-fleet.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

describe("fleet.documents()", () => {
  let database: TestDatabase;
  let fleet: Fleet;

  beforeAll(async () => {
    database = await createDatabase();
    fleet = await openFleet({ database: database.url });
  });

  afterAll(async () => {
    await fleet?.close();
    await database?.dispose();
  });

  it("keeps JSON values by tenant and id, and replaces them", async () => {
    const documents = fleet.documents("notes");
    const value = { text: "a\u0000b\ud800", list: [1, null] };
    await documents.put("alice", "one", value);
    expect(await documents.get("alice", "one")).toEqual(value);
    await documents.put("alice", "one", "new");
    expect(await documents.get("alice", "one")).toBe("new");
  });

  it("finds only what was put for the same tenant in the same collection", async () => {
    const documents = fleet.documents("private");
    await documents.put("alice", "one", 1);
    expect(await documents.get("bob", "one")).toBeUndefined();
    expect(await fleet.documents("other").get("alice", "one")).toBeUndefined();
    expect(await documents.delete("bob", "one")).toBe(false);
    expect(await documents.delete("alice", "one")).toBe(true);
    expect(await documents.get("alice", "one")).toBeUndefined();
  });

  it("is seen by other programs, and by those that open the fleet later", async () => {
    await fleet.documents("shared").put("alice", "one", { kept: true });
    await using other = await openFleet({ database: database.url });
    expect(await other.documents("shared").get("alice", "one")).toEqual({ kept: true });
  });

  it("forgets a value when its time is over, and removes it from the table", async () => {
    const documents = fleet.documents("short");
    await documents.put("alice", "old", 1, { ttlMs: -1 });
    expect(await documents.get("alice", "old")).toBeUndefined();
    expect(await documents.delete("alice", "old")).toBe(false);
    await documents.put("alice", "older", 1, { ttlMs: -1 });
    await documents.put("alice", "kept", 2, { ttlMs: 60_000 });
    expect(await idsIn(database.url, "short")).toEqual(["kept"]);
    expect(await documents.get("alice", "kept")).toBe(2);
  });

  it.each(["with \0", "half a pair \ud800"])(
    "finds nothing by an id that Postgres cannot store: %j",
    async (id) => {
      const documents = fleet.documents("strange");
      expect(await documents.get("alice", id)).toBeUndefined();
      expect(await documents.delete("alice", id)).toBe(false);
      await expect(documents.put("alice", id, 1)).rejects.toMatchObject({
        code: "invalid_options",
      });
    },
  );

  it("refuses what is no JSON and names that are none", async () => {
    const documents = fleet.documents("strict");
    await expect(documents.put("alice", "one", undefined)).rejects.toMatchObject({
      code: "invalid_options",
    });
    await expect(documents.put("", "one", 1)).rejects.toMatchObject({ code: "invalid_options" });
    expect(() => fleet.documents("")).toThrow(expect.objectContaining({ code: "invalid_options" }));
  });
});

async function idsIn(url: string, collection: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      "select id from hawser.document where collection = $1 order by id",
      [collection],
    );
    return rows.map(({ id }) => id);
  } finally {
    await client.end();
  }
}
