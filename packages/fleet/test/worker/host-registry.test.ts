import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { HostRegistry } from "../../src/worker/host-registry.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

const STATE = { slots: 2, active: 0, queues: ["default"], draining: false };

let made: TestDatabase;
let database: Database;

beforeAll(async () => {
  made = await createDatabase();
  database = await openDatabase(made.url);
});
afterAll(async () => {
  await database.close();
  await made.dispose();
});

it("write() returns how many workers are alive, and counts neither silent nor removed ones", async () => {
  const [one, two, three] = await Promise.all(
    ["one", "two", "three"].map((name) => HostRegistry.open(database, name)),
  );
  expect(await one?.write(STATE)).toBe(1);
  expect(await two?.write(STATE)).toBe(2);
  expect(await three?.write(STATE)).toBe(3);
  await two?.remove();
  await database.query(
    `update ${database.schema}.host set seen_at = seen_at - interval '16 seconds' where name = 'one'`,
  );
  expect(await three?.write(STATE)).toBe(1);
});
