import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  InMemorySessionStore,
  type Options,
  query,
  type SDKMessage,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from "../../src/index.js";
import { always } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";
import { clisOf, collect, fakeQuery, kinds, realQuery } from "./query.helper.js";

class Spied extends InMemorySessionStore {
  readonly keys = new Map<string, SessionKey>();

  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    this.keys.set(key.sessionId, key);
    await super.append(key, entries);
  }

  typesOf(sessionId: string): string[] {
    const key = this.keys.get(sessionId);
    return key === undefined ? [] : this.getEntries(key).map(({ type }) => type);
  }
}

function sessionOf(messages: readonly SDKMessage[]): string {
  return (messages.at(-1) as { session_id: string }).session_id;
}

let temporary = "";

/** What is written there by this process shows. */
beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), "hawser-store-"));
  vi.stubEnv("TMPDIR", temporary);
  return () => {
    vi.unstubAllEnvs();
    rmSync(temporary, { recursive: true });
  };
});

/** Less the folders of the test's own worlds and fake CLI. */
function leftovers(): string[] {
  const own = ["claude.mjs", "home/.claude"];
  const isOwn = (name: string) => own.some((file) => existsSync(join(temporary, name, file)));
  return readdirSync(temporary).filter((name) => !isOwn(name));
}

describe.each(clisInTurn())("sessionStore of query() on $name", ({ path }) => {
  it("receives the transcript and restores it in another configuration", async () => {
    const sessionStore = new Spied();
    const first = await realQuery(path, ["answer one"], { sessionStore }, "question one");
    const sessionId = sessionOf((await collect(first.q)).messages);
    expect(sessionStore.typesOf(sessionId)).toEqual(expect.arrayContaining(["user", "assistant"]));

    const resumed = async (options: Options) => {
      const fresh = await world(path, always("answer two"));
      const { cwd } = first;
      const q = query({
        prompt: "question two",
        options: { ...fresh.options, cwd, sessionStore, ...options },
      });
      const { messages, error } = await collect(q);
      expect([kinds(messages).at(-1), error]).toEqual(["result/success", undefined]);
      const sent = JSON.stringify(fresh.model.calls[0]?.body);
      for (const words of ["question one", "answer one", "question two"]) {
        expect(sent).toContain(words);
      }
      expect(leftovers()).toEqual([]);
      return sessionOf(messages);
    };
    const before = sessionStore.typesOf(sessionId).length;
    expect(await resumed({ resume: sessionId })).toBe(sessionId);
    expect(sessionStore.typesOf(sessionId).length).toBeGreaterThan(before);
    expect(await resumed({ continue: true })).toBe(sessionId);
    const fork = await resumed({ resume: sessionId, forkSession: true });
    expect(fork).not.toBe(sessionId);
    expect(sessionStore.typesOf(fork)).toContain("assistant");
  });

  it("causes a message when append() fails, and the query continues", async () => {
    const sessionStore: SessionStore = {
      append: async () => {
        throw new Error("disk full");
      },
      load: async () => null,
    };
    const { q } = await realQuery(path, ["ok"], { sessionStore });
    const { messages, error } = await collect(q);
    expect(error).toBeUndefined();
    const failures = messages.filter((each) => kinds([each])[0] === "system/mirror_error");
    expect(failures.length).toBeGreaterThan(0);
    expect(failures[0]).toMatchObject({
      error: "disk full",
      key: { projectKey: expect.any(String), sessionId: expect.any(String) },
      uuid: expect.any(String),
    });
    expect(kinds(messages)).toContain("result/success");
  });
});

describe("a sessionStore that does not load a session", () => {
  const sessionId = "5e55101d-0000-4000-8000-000000000000";
  const append = async () => {};

  it.each<[string, SessionStore["load"], object]>([
    ["in time", () => new Promise(() => {}), { code: "timeout", phase: "boot" }],
    [
      "but an error",
      () => Promise.reject(new Error("offline")),
      { code: "control_error", message: "The session store's load() failed: offline" },
    ],
  ])("%s ends the query before a process starts", async (_, load, expected) => {
    const options = { sessionStore: { append, load }, resume: sessionId, loadTimeoutMs: 100 };
    const { q, cli } = await fakeQuery([], options);
    expect((await collect(q)).error).toMatchObject(expected);
    await expect(q.initializationResult()).rejects.toMatchObject(expected);
    expect([leftovers(), await cli.recorded()]).toEqual([[], []]);
  });

  it("leaves no files when the query is closed meanwhile", async () => {
    const abortController = new AbortController();
    onTestFinished(() => abortController.abort());
    const store = new InMemorySessionStore();
    let loaded: () => void = () => {};
    const waits = new Promise<void>((resolve) => {
      loaded = resolve;
    });
    const load: SessionStore["load"] = async () => {
      await waits;
      return [{ type: "user", uuid: sessionId }];
    };
    const sessionStore = { append: store.append.bind(store), load };
    const { q, cli } = await fakeQuery([], { sessionStore, resume: sessionId });
    const closing = q.return();
    loaded();
    await closing;
    await expect(q.initializationResult()).rejects.toMatchObject({ code: "closed" });
    expect([leftovers(), clisOf(cli.path)]).toEqual([[], []]);
  });
});
