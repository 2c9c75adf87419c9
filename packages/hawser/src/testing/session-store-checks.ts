import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type {
  CheckedEntry,
  CheckedKey,
  CheckedStore,
  SessionStoreCheck,
  SessionStoreCheckOptions,
} from "./session-store-check.js";

/**
 * What a `SessionStore` must do, as checks for the tests of your own store, in any test framework.
 *
 * @example
 * ```ts
 * import { sessionStoreChecks } from "hawser/testing";
 *
 * for (const { name, needs, run } of sessionStoreChecks()) {
 *   if (needs !== undefined && store[needs] === undefined) continue;
 *   test(`the store ${name}`, () => run(store));
 * }
 * ```
 */
export function sessionStoreChecks(
  options: SessionStoreCheckOptions = {},
): readonly SessionStoreCheck[] {
  const { projectKeys = true } = options;
  return [...TRANSCRIPTS, ...(projectKeys ? PROJECT_KEYS : []), ...LISTS, ...DELETIONS, ...SUBKEYS];
}

const TRANSCRIPTS: readonly SessionStoreCheck[] = [
  {
    name: "gives null for a transcript that was never written",
    async run(store) {
      const key = newKey();
      assert.equal(await store.load(key), null);
      await store.append(key, [entry(1)]);
      assert.equal(await store.load({ ...key, subpath: "subagents/agent-none" }), null);
      assert.equal(await store.load({ ...key, sessionId: randomUUID() }), null);
    },
  },
  {
    name: "gives entries in the order of their arrival, as soon as append() has resolved",
    async run(store) {
      const key = newKey();
      const written: CheckedEntry[] = [];
      for (const size of [1, 3, 1, 200, 2]) {
        const batch = entries(size, written.length);
        await store.append(key, structuredClone(batch));
        written.push(...batch);
        assert.deepEqual(await store.load(key), written);
      }
    },
  },
  {
    name: "keeps an entry once that comes twice with the same uuid",
    async run(store) {
      const key = newKey();
      const [first, second, third] = [entry(1), entry(2), entry(3)];
      await store.append(key, [first, second]);
      await store.append(key, [second, third]);
      await store.append(key, [third, third]);
      assert.deepEqual(await store.load(key), [first, second, third]);
      const other = { ...key, subpath: "subagents/agent-a" };
      await store.append(other, [second]);
      assert.deepEqual(await store.load(other), [second]);
    },
  },
  {
    name: "keeps every entry without a uuid, also equal ones",
    async run(store) {
      const key = newKey();
      const plain = { type: "summary", summary: "the same" };
      await store.append(key, [plain, plain]);
      await store.append(key, [plain]);
      assert.deepEqual(await store.load(key), [plain, plain, plain]);
    },
  },
  {
    name: "takes an append() without entries, which changes nothing",
    async run(store) {
      const key = newKey();
      await store.append(key, []);
      const written = entries(2);
      await store.append(key, written);
      await store.append(key, []);
      assert.deepEqual(await store.load(key), written);
    },
  },
  {
    name: "keeps the transcripts of sub-agents apart from the session and from each other",
    async run(store) {
      const key = newKey();
      const keys = [key, ...SUBPATHS.map((subpath) => ({ ...key, subpath }))];
      for (const [place, each] of keys.entries()) await store.append(each, [entry(place)]);
      for (const [place, each] of keys.entries()) {
        const loaded = await store.load(each);
        assert.deepEqual(numbersIn(loaded), [place]);
      }
    },
  },
  {
    name: "keeps sessions apart",
    async run(store) {
      const key = newKey();
      const other = { ...key, sessionId: randomUUID() };
      await store.append(key, [entry(1)]);
      await store.append(other, [entry(2)]);
      assert.deepEqual(numbersIn(await store.load(key)), [1]);
      assert.deepEqual(numbersIn(await store.load(other)), [2]);
    },
  },
  {
    name: "gives entries exactly as they came: nested, empty, large numbers, U+0000, lone surrogates",
    async run(store) {
      const key = newKey();
      const written = [{ ...entry(1), ...STRANGE }, entry(2)];
      await store.append(key, structuredClone(written));
      assert.deepEqual(await store.load(key), written);
    },
  },
  {
    name: "takes an entry of five megabytes",
    async run(store) {
      const key = newKey();
      const large = { ...entry(1), text: "x\u0000é🪢".repeat(1_000_000) };
      await store.append(key, [large]);
      const [loaded] = (await store.load(key)) ?? [];
      // Not deepEqual, which would print both.
      assert.ok(loaded?.["text"] === large.text, "the text of a large entry has changed");
    },
  },
  {
    name: "gives copies: a change of what was appended or loaded does not reach the store",
    async run(store) {
      const key = newKey();
      const appended = [{ ...entry(1), nested: { list: ["a"] } }];
      const written = structuredClone(appended);
      await store.append(key, appended);
      appended[0]?.nested.list.push("changed");
      appended.push({ ...entry(2), nested: { list: [] } });
      const loaded = await store.load(key);
      assert.deepEqual(loaded, written);
      (loaded as typeof written | null)?.[0]?.nested.list.push("changed");
      loaded?.pop();
      assert.deepEqual(await store.load(key), written);
    },
  },
  {
    name: "loses and doubles nothing if append() is called for one key many times at once",
    async run(store) {
      const key = newKey();
      const batches = Array.from({ length: 20 }, (_, n) => entries(10, n * 10));
      await Promise.all(batches.map((batch) => store.append(key, batch)));
      const numbers = numbersIn(await store.load(key));
      assert.deepEqual(
        [...numbers].sort((a, b) => a - b),
        Array.from({ length: 200 }, (_, n) => n),
      );
      for (const batch of batches) {
        const wanted = new Set(numbersIn(batch));
        const kept = numbers.filter((number) => wanted.has(number));
        assert.deepEqual(kept, [...wanted], "the order inside of one append() has changed");
      }
    },
  },
  {
    name: "writes many sessions at once",
    async run(store) {
      const { projectKey } = newKey();
      const keys = Array.from({ length: 20 }, () => ({ projectKey, sessionId: randomUUID() }));
      await Promise.all(keys.map((key, place) => store.append(key, entries(5, place * 5))));
      for (const [place, key] of keys.entries()) {
        const wanted = Array.from({ length: 5 }, (_, n) => place * 5 + n);
        assert.deepEqual(numbersIn(await store.load(key)), wanted);
      }
    },
  },
];

const PROJECT_KEYS: readonly SessionStoreCheck[] = [
  {
    name: "keeps the same session id apart under two project keys",
    async run(store) {
      const key = newKey();
      const other = { ...key, projectKey: newKey().projectKey };
      await store.append(key, [entry(1)]);
      assert.equal(await store.load(other), null);
      await store.append(other, [entry(2)]);
      assert.deepEqual(numbersIn(await store.load(key)), [1]);
      assert.deepEqual(numbersIn(await store.load(other)), [2]);
    },
  },
];

const LISTS: readonly SessionStoreCheck[] = [
  {
    name: "lists the sessions of one project, and none without a transcript of its own",
    needs: "listSessions",
    async run(store) {
      const { projectKey } = newKey();
      const list = async () => (await required(store, "listSessions")(projectKey)).map(idOf).sort();
      assert.deepEqual(await list(), []);
      const keys = [0, 1, 2].map(() => ({ projectKey, sessionId: randomUUID() }));
      for (const key of keys) await store.append(key, entries(2));
      await store.append({ projectKey, sessionId: randomUUID(), subpath: "subagents/agent-a" }, [
        entry(1),
      ]);
      await store.append(newKey(), [entry(1)]);
      assert.deepEqual(await list(), keys.map(idOf).sort());
    },
  },
  {
    name: "lists the session last that was written last, by its mtime",
    needs: "listSessions",
    async run(store) {
      const { projectKey } = newKey();
      const [first, second] = [0, 1].map(() => ({ projectKey, sessionId: randomUUID() })) as [
        CheckedKey,
        CheckedKey,
      ];
      const latest = async () => {
        const sessions = await required(store, "listSessions")(projectKey);
        for (const { mtime } of sessions) assert.ok(Number.isFinite(mtime), "mtime is no number");
        return [...sessions].sort((a, b) => a.mtime - b.mtime).at(-1)?.sessionId;
      };
      for (const key of [first, second, first]) {
        await store.append(key, [entry(1), entry(2)]);
        assert.equal(await latest(), key.sessionId);
        // A clock of the store may count in milliseconds.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  },
  {
    name: "lists a summary for each session, with the mtime of the session",
    needs: "listSessionSummaries",
    async run(store) {
      const key = newKey();
      const list = () => required(store, "listSessionSummaries")(key.projectKey);
      assert.deepEqual(await list(), []);
      const prompt = { role: "user", content: "Name a knot." };
      await store.append(key, [{ ...entry(1), message: prompt }]);
      const [summary, ...others] = await list();
      assert.deepEqual([summary?.sessionId, others], [key.sessionId, []]);
      const { data } = summary ?? {};
      assert.ok(typeof data === "object" && data !== null, "a summary has no data");
      assert.deepEqual(JSON.parse(JSON.stringify(data)), data);
      const [listed] = (await store.listSessions?.(key.projectKey)) ?? [summary];
      assert.equal(summary?.mtime, listed?.mtime);
      // A copy: what the caller does with it does not reach the store.
      (data as Record<string, unknown>)["changed"] = true;
      assert.equal((await list())[0]?.data["changed"], undefined);
    },
  },
];

const DELETIONS: readonly SessionStoreCheck[] = [
  {
    name: "deletes a session with its sub-agents, and no other session",
    needs: "delete",
    async run(store) {
      const [key, other] = [newKey(), newKey()];
      const below = (of: CheckedKey) => SUBPATHS.map((subpath) => ({ ...of, subpath }));
      for (const each of [key, ...below(key), other, ...below(other)]) {
        await store.append(each, [entry(1)]);
      }
      await required(store, "delete")(key);
      for (const each of [key, ...below(key)]) assert.equal(await store.load(each), null);
      for (const each of [other, ...below(other)]) {
        assert.deepEqual(numbersIn(await store.load(each)), [1]);
      }
      assert.deepEqual((await store.listSessions?.(key.projectKey)) ?? [], []);
      assert.deepEqual((await store.listSubkeys?.(key)) ?? [], []);
    },
  },
  {
    name: "deletes one sub-agent if the key names it",
    needs: "delete",
    async run(store) {
      const key = newKey();
      const [gone, kept] = SUBPATHS.map((subpath) => ({ ...key, subpath })) as [
        CheckedKey,
        CheckedKey,
      ];
      for (const each of [key, gone, kept]) await store.append(each, [entry(1)]);
      await required(store, "delete")(gone);
      assert.equal(await store.load(gone), null);
      for (const each of [key, kept]) assert.deepEqual(numbersIn(await store.load(each)), [1]);
    },
  },
  {
    name: "deletes what does not exist without an error, and takes a deleted session anew",
    needs: "delete",
    async run(store) {
      const key = newKey();
      await required(store, "delete")(key);
      const first = entry(1);
      await store.append(key, [first]);
      await required(store, "delete")(key);
      await store.append(key, [first]);
      assert.deepEqual(await store.load(key), [first]);
    },
  },
];

const SUBKEYS: readonly SessionStoreCheck[] = [
  {
    name: "lists each sub-agent of a session once, and not the session itself",
    needs: "listSubkeys",
    async run(store) {
      const key = newKey();
      const list = async () => [...(await required(store, "listSubkeys")(key))].sort();
      assert.deepEqual(await list(), []);
      await store.append(key, [entry(1)]);
      for (const subpath of [...SUBPATHS, ...SUBPATHS]) {
        await store.append({ ...key, subpath }, [entry(1)]);
      }
      await store.append({ ...newKey(), subpath: "subagents/agent-other" }, [entry(1)]);
      assert.deepEqual(await list(), [...SUBPATHS].sort());
    },
  },
];

/** As the CLI names them; the first is the start of the second. */
const SUBPATHS = ["subagents/agent-a", "subagents/agent-ab", "workflows/w/agent-c"];

const STRANGE = {
  text: "a\u0000b\u0001\n\r\t\"'\\ \u2028 é 🪢 \ud83d",
  "key with \u0000 and \udc00": "",
  numbers: [0, -0.5, 1e21, Number.MAX_SAFE_INTEGER],
  nothing: null,
  empty: { list: [], object: {}, text: "" },
  deep: [[[[{ a: [true, false] }]]]],
};

/** A session of a project of its own. */
function newKey(): CheckedKey {
  return { projectKey: `-checks-${randomUUID()}`, sessionId: randomUUID() };
}

function entry(number: number): CheckedEntry {
  const timestamp = new Date(1_700_000_000_000 + number).toISOString();
  return { type: "user", uuid: randomUUID(), timestamp, number };
}

function entries(size: number, from = 0): CheckedEntry[] {
  return Array.from({ length: size }, (_, place) => entry(from + place));
}

function numbersIn(loaded: readonly CheckedEntry[] | null): number[] {
  return (loaded ?? []).map(({ number }) => number as number);
}

function idOf({ sessionId }: { readonly sessionId: string }): string {
  return sessionId;
}

/** An optional method, for a check that needs it. */
function required<Name extends NonNullable<SessionStoreCheck["needs"]>>(
  store: CheckedStore,
  name: Name,
): NonNullable<CheckedStore[Name]> {
  const method = store[name];
  assert.ok(method !== undefined, `the store has no ${name}()`);
  return method.bind(store) as NonNullable<CheckedStore[Name]>;
}
