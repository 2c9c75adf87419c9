import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SessionKey, SessionStoreEntry } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always } from "../../src/testing/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";

/** A store that remembers under which project keys it was used. */
class WatchedStore extends InMemorySessionStore {
  readonly projectKeys = new Set<string>();

  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    this.projectKeys.add(key.projectKey);
    await super.append(key, entries);
  }

  override async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    this.projectKeys.add(key.projectKey);
    return super.load(key);
  }
}

describe.each(clisInTurn())("projectKey on $name", ({ path }) => {
  it("lets hosts with other working directories resume a session, and write to the same one", async () => {
    const sessionStore = new WatchedStore();
    const stored = { sessionStore, projectKey: "shop" };
    const sessionId = randomUUID();
    const key = { projectKey: "shop", sessionId };
    const first = await world(path, always("plum"));
    await using one = await openSession({ ...first.options, ...stored, sessionId });
    await one.send("Remember the word plum.").result;
    await one.close();
    const before = sessionStore.getEntries(key);
    expect(before.length).toBeGreaterThan(0);

    const second = await world(path, always("It is plum."));
    expect(second.cwd).not.toBe(first.cwd);
    await using two = await openSession({ ...second.options, ...stored, resume: sessionId });
    expect(await two.send("Which word?").text()).toBe("It is plum.");
    await two.close();
    expect(JSON.stringify(second.model.calls[0]?.body)).toContain("Remember the word plum.");
    const after = sessionStore.getEntries(key);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(JSON.stringify(after.slice(before.length))).toContain("It is plum.");

    const third = await world(path, always("Plum, of course."));
    await using last = await openSession({ ...third.options, ...stored, continue: true });
    expect(await last.send("Once more?").text()).toBe("Plum, of course.");
    expect(last.id).toBe(sessionId);
    await last.close();
    expect([...sessionStore.projectKeys]).toEqual(["shop"]);
  });

  it("is the key of the working directory by default, so that another one has no such session", async () => {
    const sessionStore = new WatchedStore();
    const sessionId = randomUUID();
    const first = await world(path, always("plum"));
    await using one = await openSession({ ...first.options, sessionStore, sessionId });
    await one.send("Remember the word plum.").result;
    await one.close();
    const second = await world(path, []);
    await expect(
      openSession({ ...second.options, sessionStore, resume: sessionId }),
    ).rejects.toMatchObject({ code: "session_not_found" });
  });
});
