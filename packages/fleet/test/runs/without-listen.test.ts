import pg from "pg";
import { expect, it } from "vitest";
import { openFleet } from "../../src/open-fleet.js";
import { collect } from "../support/collect.js";
import { createRunWorld, doneWith } from "../support/run-world.js";

it("a fleet with listen: false opens no connection that listens, and sees events and outcomes all the same", async () => {
  await using world = await createRunWorld();
  const other = await world.open();
  await using fleet = await openFleet({ database: world.url, listen: false });
  const run = await fleet.submit("Say hello.");
  const events = collect(run.events());
  const result = run.result();
  const listening = await listeners(world.url);
  await other.claims.settle(await other.claim(), doneWith("Hello."));
  expect((await result).text).toBe("Hello.");
  expect((await events).map(({ type }) => type)).toEqual(["queued", "started", "ended"]);
  expect(listening).toEqual([]);
});

/** The statements LISTEN that connections of the database have sent last. */
async function listeners(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ query: string }>(
    "select query from pg_stat_activity where datname = current_database() and query ilike 'listen %'",
  );
  await client.end();
  return rows.map(({ query }) => query);
}
