import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "../../src/database/open-database.js";
import { type DatabaseProxy, startDatabaseProxy } from "../support/database-proxy.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let server: TestDatabase;
let proxy: DatabaseProxy;
beforeAll(async () => {
  server = await createDatabase();
  proxy = await startDatabaseProxy(server.url);
});
afterAll(async () => {
  await proxy.close();
  await server.dispose();
});

// pg reads both messages in one go, so that no code of ours runs in between. Without a listener, the error of the
// client would end the program.
describe("a server that ends a connection in the moment in which it is ready", () => {
  it.each(["query", "transaction"] as const)(
    "makes %s() reject, and the next one works",
    async (way) => {
      const database = await openDatabase(proxy.url);
      const run = () =>
        way === "query"
          ? database.query("select 1 as one")
          : database.transaction((db) => db.query("select 1 as one"));
      // It holds the connection that exists already.
      await database.transaction(async () => {
        proxy.failNextConnection();
        await expect(run()).rejects.toMatchObject({ code: "database_unavailable" });
      });
      expect((await run()).rows).toEqual([{ one: 1 }]);
      await database.close();
    },
  );

  it("makes urgent() reject, and the next one works", async () => {
    const database = await openDatabase(proxy.url);
    proxy.failNextConnection();
    const run = () => database.urgent(5_000).query("select 1 as one");
    await expect(run()).rejects.toMatchObject({ code: "database_unavailable" });
    expect((await run()).rows).toEqual([{ one: 1 }]);
    await database.close();
  });
});
