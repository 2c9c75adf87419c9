import { randomUUID } from "node:crypto";
import type { SessionStoreEntry } from "hawser";
import { sessionStoreChecks } from "hawser/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/database/database.js";
import { openDatabase } from "../../src/database/open-database.js";
import { createFleetSessionStore } from "../../src/sessions/create-fleet-session-store.js";
import type { FleetSessionStore } from "../../src/sessions/fleet-sessions.js";
import { createDatabase, type TestDatabase } from "../support/postgres.js";

let made: TestDatabase;
let database: Database;
let store: FleetSessionStore;

beforeAll(async () => {
  made = await createDatabase();
  database = await openDatabase(made.url);
  store = createFleetSessionStore({ database, leaseMs: 10_000, holder: "the test" });
});
afterAll(async () => {
  await database.close();
  await made.dispose();
});

function newKey(projectKey = "-srv-project") {
  return { projectKey, sessionId: randomUUID() };
}

function entry(text: string, more: Partial<SessionStoreEntry> = {}): SessionStoreEntry {
  return { type: "user", uuid: randomUUID(), message: { role: "user", content: text }, ...more };
}

async function numbersOf(sessionId: string): Promise<number[]> {
  const { rows } = await database.query<{ seq: string }>(
    `select seq from ${database.schema}.entry where session_id = $1 order by seq`,
    [sessionId],
  );
  return rows.map(({ seq }) => Number(seq));
}

describe("fleet.sessionStore", () => {
  it.each(sessionStoreChecks({ projectKeys: false }))("$name", ({ run }) => run(store));

  it("returns every entry as it was, in the order of the appends, also with the characters that jsonb refuses", async () => {
    const key = newKey();
    const hostile = entry("zero \u0000 and half a pair \ud800", {
      nested: { "\u0000": ["\u0000"] },
    });
    await store.append(key, [entry("one"), hostile]);
    const last = { type: "last-prompt", lastPrompt: "one" };
    await store.append(key, [last]);
    const loaded = await store.load(key);
    expect(loaded?.length).toBe(3);
    expect(loaded?.[1]).toEqual(hostile);
    expect(loaded?.[2]).toEqual(last);
  });

  it("keeps an entry once for each uuid and numbers without gaps when an append is repeated", async () => {
    const key = newKey();
    const [one, two, three] = [entry("one"), entry("two"), entry("three")];
    await store.append(key, [one, two]);
    await store.append(key, [one, two, two, three]);
    expect(await store.load(key)).toEqual([one, two, three]);
    expect(await numbersOf(key.sessionId)).toEqual([0, 1, 2]);
  });

  it("numbers entries without gaps when many programs append at once", async () => {
    const key = newKey();
    const appends = Array.from({ length: 20 }, (_, number) =>
      store.append(key, [entry(`${number}a`), entry(`${number}b`)]),
    );
    await Promise.all(appends);
    expect(await numbersOf(key.sessionId)).toEqual(Array.from({ length: 40 }, (_, at) => at));
    const texts = (await store.load(key))?.map(
      ({ message }) => (message as { content: string }).content,
    );
    for (let number = 0; number < 20; number += 1) {
      const at = texts?.indexOf(`${number}a`) ?? -1;
      expect(texts?.[at + 1]).toBe(`${number}b`);
    }
  });

  it("finds a session by its id from any folder, and lists it under the project key of its first entry", async () => {
    const key = newKey("-home-ann-site");
    await store.append(key, [entry("hello")]);
    const elsewhere = { projectKey: "-srv-site", sessionId: key.sessionId };
    await store.append(elsewhere, [entry("again")]);
    expect(await store.load(elsewhere)).toHaveLength(2);
    const [listed] = await store.listSessions("-home-ann-site");
    expect(listed).toMatchObject({ sessionId: key.sessionId });
    expect(await store.listSessions("-srv-site")).toEqual([]);
  });

  it("keeps a summary of the main transcript whose time grows with each append", async () => {
    const key = newKey("-summaries");
    await store.append(key, [entry("Name three knots.", { cwd: "/srv/knots" })]);
    const [first] = await store.listSessionSummaries("-summaries");
    await store.append(key, [{ type: "custom-title", customTitle: "Knots \u0000" }]);
    await store.append({ ...key, subpath: "subagents/agent-1" }, [entry("not in the summary")]);
    const [second] = await store.listSessionSummaries("-summaries");
    expect(second?.data).toMatchObject({
      firstPrompt: "Name three knots.",
      customTitle: "Knots \u0000",
    });
    expect(second?.mtime).toBeGreaterThan(first?.mtime ?? Number.POSITIVE_INFINITY);
    expect(await store.listSessions("-summaries")).toEqual([
      { sessionId: key.sessionId, mtime: second?.mtime },
    ]);
  });

  it("keeps the transcripts of sub-agents apart, and deletes them with their session", async () => {
    const key = newKey();
    const agent = { ...key, subpath: "subagents/agent-1" };
    await store.append(key, [entry("main")]);
    await store.append(agent, [entry("agent")]);
    await store.append({ ...key, subpath: "subagents/agent-2" }, [entry("other")]);
    expect(await store.listSubkeys(key)).toEqual(["subagents/agent-1", "subagents/agent-2"]);
    await store.delete(agent);
    expect(await store.load(agent)).toBeNull();
    expect(await store.load(key)).toHaveLength(1);
    await store.delete(key);
    expect(await store.load(key)).toBeNull();
    expect(await store.listSubkeys(key)).toEqual([]);
    await store.delete(key);
  });

  it("refuses an id that is no UUID with invalid_options, and knows no such session", async () => {
    const key = { projectKey: "-p", sessionId: "my session" };
    await expect(store.append(key, [entry("x")])).rejects.toMatchObject({
      code: "invalid_options",
    });
    await expect(store.take("my session")).rejects.toMatchObject({ code: "invalid_options" });
    expect(await store.load(key)).toBeNull();
    expect(await store.listSubkeys(key)).toEqual([]);
  });
});
