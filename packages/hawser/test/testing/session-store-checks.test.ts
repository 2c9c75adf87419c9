import { AssertionError } from "node:assert";
import { describe, expect, it } from "vitest";
import {
  type CheckedEntry,
  type CheckedKey,
  type CheckedStore,
  sessionStoreChecks,
} from "../../src/testing/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";

const CHECKS = sessionStoreChecks();

describe("InMemorySessionStore", () => {
  const store = new InMemorySessionStore();

  it.each(CHECKS)("$name", ({ run }) => run(store));

  it("passes all checks at the same time", async () => {
    const shared = new InMemorySessionStore();
    await Promise.all(CHECKS.map(({ run }) => run(shared)));
  });
});

describe("sessionStoreChecks()", () => {
  it("asks no store for project keys with projectKeys: false", async () => {
    const byId = withKeys((key) => ({ ...key, projectKey: "-" }));
    const label: CheckedStore = { ...byId };
    delete label.listSessions;
    delete label.listSessionSummaries;
    const checks = sessionStoreChecks({ projectKeys: false });
    expect(checks.length).toBe(CHECKS.length - 1);
    for (const { needs, run } of checks) {
      if (needs === undefined || label[needs] !== undefined) await run(label);
    }
  });

  it("names the method that a store lacks", async () => {
    const bare: CheckedStore = { append: async () => {}, load: async () => null };
    for (const { needs, run } of CHECKS.filter((check) => check.needs !== undefined)) {
      await expect(run(bare)).rejects.toThrow(`the store has no ${needs}()`);
    }
  });
});

/** A correct store, with some of its methods replaced. */
function broken(more: (good: InMemorySessionStore) => Partial<CheckedStore>): CheckedStore {
  const good = new InMemorySessionStore();
  const methods: Required<CheckedStore> = {
    append: (key, entries) => good.append(key, entries),
    load: (key) => good.load(key),
    listSessions: (projectKey) => good.listSessions(projectKey),
    listSessionSummaries: (projectKey) => good.listSessionSummaries(projectKey),
    delete: (key) => good.delete(key),
    listSubkeys: (key) => good.listSubkeys(key),
  };
  return { ...methods, ...more(good) };
}

/** A store that confuses keys. */
function withKeys(change: (key: CheckedKey) => CheckedKey): CheckedStore {
  return broken((good) => ({
    append: (key, entries) => good.append(change(key), entries),
    load: (key) => good.load(change(key)),
    delete: (key) => good.delete(change(key)),
    listSubkeys: (key) => good.listSubkeys(change(key)),
  }));
}

/** A store that changes entries. */
function withEntries(change: (entries: CheckedEntry[]) => CheckedEntry[]): CheckedStore {
  return broken((good) => ({ append: (key, entries) => good.append(key, change(entries)) }));
}

function withText(change: (text: string) => string): CheckedStore {
  return withEntries((entries) => JSON.parse(change(JSON.stringify(entries))));
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A store of plain lists, with the given way to add to one. */
function ofLists(
  add: (lists: Map<string, CheckedEntry[]>, name: string, entries: CheckedEntry[]) => Promise<void>,
): CheckedStore {
  const lists = new Map<string, CheckedEntry[]>();
  return {
    append: (key, entries) => add(lists, JSON.stringify(key), entries),
    load: async (key) => lists.get(JSON.stringify(key)) ?? null,
  };
}

/** Which check finds which fault. */
const FAULTS: readonly (readonly [fault: string, check: RegExp, store: CheckedStore])[] = [
  [
    "an unknown transcript is empty",
    /null for a transcript/,
    broken((good) => ({ load: async (key) => (await good.load(key)) ?? [] })),
  ],
  ["a batch is reversed", /order of their arrival/, withEntries((all) => [...all].reverse())],
  [
    "a batch is written later",
    /as soon as append\(\) has resolved/,
    broken((good) => ({
      append: async (key, entries) => void pause().then(() => good.append(key, entries)),
    })),
  ],
  [
    "an entry is kept twice",
    /same uuid/,
    ofLists(async (lists, name, entries) => {
      lists.set(name, [...(lists.get(name) ?? []), ...structuredClone(entries)]);
    }),
  ],
  [
    "equal entries are kept once",
    /without a uuid/,
    withEntries((all) => [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]),
  ],
  [
    "a batch without entries is refused",
    /without entries/,
    withEntries((all) => {
      if (all.length === 0) throw new AssertionError({ message: "no entries" });
      return all;
    }),
  ],
  [
    "sub-agents are written into the session",
    /transcripts of sub-agents apart/,
    withKeys(({ subpath: _, ...key }) => key),
  ],
  ["sessions are mixed", /keeps sessions apart/, withKeys((key) => ({ ...key, sessionId: "one" }))],
  ["U+0000 is dropped", /exactly as they came/, withText((text) => text.replaceAll("\\u0000", ""))],
  [
    "lone surrogates are replaced",
    /exactly as they came/,
    withText((text) => text.replaceAll("\\ud83d", "\ufffd")),
  ],
  [
    "long texts are cut",
    /five megabytes/,
    withEntries((all) =>
      all.map((each) => ({ ...each, text: String(each["text"]).slice(0, 1e6) })),
    ),
  ],
  [
    "the caller's own objects are kept",
    /gives copies/,
    ofLists(async (lists, name, entries) => {
      lists.set(name, [...(lists.get(name) ?? []), ...entries]);
    }),
  ],
  [
    "a write that comes meanwhile is lost",
    /many times at once/,
    ofLists(async (lists, name, entries) => {
      const known = lists.get(name) ?? [];
      await pause();
      lists.set(name, [...known, ...structuredClone(entries)]);
    }),
  ],
  [
    "entries of batches that come at once are mixed",
    /many times at once/,
    broken((good) => ({
      append: async (key, entries) => {
        for (const entry of [...entries].sort(() => -1)) await good.append(key, [entry]);
      },
    })),
  ],
  [
    "only one session is written at a time",
    /many sessions at once/,
    ofLists(async (lists, name, entries) => {
      const others = new Map(lists);
      await pause();
      lists.clear();
      for (const [each, known] of others) lists.set(each, known);
      lists.set(name, structuredClone(entries));
    }),
  ],
  [
    "project keys are ignored",
    /two project keys/,
    withKeys((key) => ({ ...key, projectKey: "one" })),
  ],
  [
    "sessions of other projects are listed",
    /sessions of one project/,
    broken((good) => {
      const keys: CheckedKey[] = [];
      return {
        append: (key, entries) => {
          keys.push(key);
          return good.append(key, entries);
        },
        listSessions: async () => keys.map(({ sessionId }) => ({ sessionId, mtime: 1 })),
      };
    }),
  ],
  [
    "mtime never changes",
    /by its mtime/,
    broken((good) => ({
      listSessions: async (projectKey) => {
        const sessions = await good.listSessions(projectKey);
        return sessions.map(({ sessionId }) => ({ sessionId, mtime: 1 }));
      },
    })),
  ],
  [
    "summaries are shared with the caller",
    /a summary for each session/,
    broken((good) => {
      const kept = new Map<string, never>();
      return {
        listSessionSummaries: async (projectKey) => {
          const [summary] = await good.listSessionSummaries(projectKey);
          if (summary !== undefined && !kept.has(projectKey))
            kept.set(projectKey, summary as never);
          const known = kept.get(projectKey);
          return known === undefined ? [] : [known];
        },
      };
    }),
  ],
  [
    "sub-agents outlive their session",
    /deletes a session with its sub-agents/,
    broken((good) => ({
      delete: async (key) => {
        const subpaths = await good.listSubkeys(key);
        const kept = await Promise.all(
          subpaths.map(async (subpath) => ({ subpath, all: await good.load({ ...key, subpath }) })),
        );
        await good.delete(key);
        for (const { subpath, all } of kept) await good.append({ ...key, subpath }, all ?? []);
      },
    })),
  ],
  [
    "the session is deleted with one sub-agent",
    /deletes one sub-agent/,
    broken((good) => ({ delete: ({ subpath: _, ...key }) => good.delete(key) })),
  ],
  [
    "what does not exist cannot be deleted",
    /what does not exist/,
    broken((good) => ({
      delete: async (key) => {
        if ((await good.load(key)) === null) throw new AssertionError({ message: "not found" });
        await good.delete(key);
      },
    })),
  ],
  [
    "a deleted entry is never taken again",
    /takes a deleted session anew/,
    broken((good) => {
      const seen = new Set<unknown>();
      return {
        append: (key, entries) => {
          const added = entries.filter(({ uuid }) => !seen.has(uuid));
          for (const { uuid } of added) seen.add(uuid);
          return good.append(key, added);
        },
      };
    }),
  ],
  [
    "sub-agents are listed once for each write",
    /each sub-agent of a session once/,
    broken((good) => {
      const subpaths: string[] = [];
      return {
        append: async (key, entries) => {
          if (key.subpath !== undefined) subpaths.push(key.subpath);
          await good.append(key, entries);
        },
        listSubkeys: async () => subpaths,
      };
    }),
  ],
];

describe("the checks of sessionStoreChecks()", () => {
  it.each(FAULTS)("find that %s", async (_, pattern, store) => {
    const [check, ...others] = CHECKS.filter(({ name }) => pattern.test(name));
    expect(others).toEqual([]);
    await expect(check?.run(store)).rejects.toBeInstanceOf(AssertionError);
  });

  it("can all fail", () => {
    const without = CHECKS.filter(({ name }) => !FAULTS.some(([, check]) => check.test(name)));
    expect(without).toEqual([]);
  });
});
