import { describe, expect, it } from "vitest";
import type { SessionStore, SessionStoreEntry } from "../../src/options/index.js";
import {
  foldSessionSummary,
  forkSession,
  getSessionMessages,
  getSubagentMessages,
} from "../../src/transcripts/index.js";
import { StoreMirror } from "../../src/transcripts/store/store-mirror.js";
import { emptyConfig, entry, sessionId, writeTranscript } from "./transcript-files.helper.js";

const id = sessionId(1);
const MANY = 30_000;

/** Far above what linear work takes (under a second), far below what quadratic work takes (minutes). */
const LIMIT_MS = 20_000;

/**
 * The longest time for which the event loop was blocked. Linear work in turns of some milliseconds
 * stays far below; the limit leaves room for the collection of garbage on a machine under load.
 */
const LONGEST_BLOCK_MS = 2500;

function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, n) => from + n);
}

const system = (n: number, parent: number | null, more = {}) => entry("system", n, parent, more);

/** Transcripts that are crafted so that a simple way to read them takes quadratic time. */
const SHAPES: Readonly<Record<string, () => { entries: object[]; shown: number }>> = {
  "loose ends on a chain of non-messages": () => ({
    entries: [
      ...numbers(MANY, 1).map((n) => system(n, n === 1 ? null : n - 1)),
      ...numbers(MANY, MANY + 1).map((n) => system(n, MANY)),
    ],
    shown: 0,
  }),
  "loose ends on a message of a sub-agent": () => ({
    entries: [
      entry("user", 0, null, { isSidechain: true }),
      ...numbers(MANY, 1).map((n) => system(n, n - 1)),
      ...numbers(MANY, MANY + 1).map((n) => system(n, MANY)),
    ],
    shown: 0,
  }),
  "compactions that move all that follows, there and back": () => ({
    entries: [
      entry("user", 0, null),
      entry("user", 1, null),
      ...numbers(MANY / 2, 10).map((n) => entry("assistant", n, 0)),
      ...numbers(MANY / 2, MANY).map((n) => {
        const [anchorUuid, tailUuid] = n % 2 === 0 ? ["u0", "u1"] : ["u1", "u0"];
        const preservedSegment = { anchorUuid, tailUuid, headUuid: "none" };
        return system(n, null, { compactMetadata: { preservedSegment } });
      }),
      entry("assistant", 5, 0),
    ],
    shown: 2,
  }),
  "a compaction that kept very many messages": () => ({
    entries: [
      ...numbers(MANY, 1).map((n) => entry("user", n, null)),
      system(0, null, {
        compactMetadata: {
          preservedMessages: { anchorUuid: "u0", uuids: numbers(MANY, 1).map((n) => `u${n}`) },
        },
      }),
    ],
    shown: MANY,
  }),
  "very many calls side by side": () => ({
    entries: [
      entry("user", 0, null),
      ...numbers(MANY, 1).map((n) =>
        entry("assistant", n, 0, { message: { id: "m", role: "assistant", content: [] } }),
      ),
    ],
    shown: MANY + 1,
  }),
  "texts full of openings of commands": () => ({
    entries: [
      entry("user", 0, null, {
        message: { role: "user", content: `x ${"<command-name>".repeat(MANY * 4)}` },
      }),
      entry("assistant", 1, 0),
    ],
    shown: 2,
  }),
};

describe("getSessionMessages() on a crafted transcript", () => {
  it.each(Object.keys(SHAPES))(
    "finishes in time without blocking the event loop: %s",
    async (name) => {
      const { entries, shown } = SHAPES[name]?.() ?? { entries: [], shown: -1 };
      const configDir = await emptyConfig();
      writeTranscript(configDir, id, entries);
      const ofFile = await watched(() => getSessionMessages(id, { configDir }));
      expect(ofFile.value.length).toBe(shown);
      const sessionStore = storeOf(entries);
      const ofStore = await watched(() => getSessionMessages(id, { sessionStore }));
      expect(ofStore.value.length).toBe(shown);
      for (const { tookMs, blockedMs } of [ofFile, ofStore]) {
        expect(tookMs).toBeLessThan(LIMIT_MS);
        expect(blockedMs).toBeLessThan(LONGEST_BLOCK_MS);
      }
    },
  );
});

describe("other functions on a crafted transcript", () => {
  it("forkSession() finds a message behind a long chain of progress lines", async () => {
    const chain = numbers(MANY, 1).map((n) => ({ ...entry("progress", n, n - 1) }));
    const entries = [entry("user", 0, null), ...chain];
    const kept: SessionStoreEntry[] = [];
    const sessionStore: SessionStore = {
      ...storeOf(entries),
      append: async (_, added) => void kept.push(...added),
    };
    const { tookMs } = await watched(() =>
      forkSession(id, { sessionStore, upToMessageId: `u${MANY}` }),
    );
    expect(tookMs).toBeLessThan(LIMIT_MS);
    expect(kept.filter(({ type }) => type === "user").length).toBe(1);
  });

  it("getSubagentMessages() reads a long chain", async () => {
    const entries = numbers(4 * MANY).map((n) => entry("user", n, n === 0 ? null : n - 1));
    const sessionStore = storeOf(entries);
    const { value, tookMs, blockedMs } = await watched(() =>
      getSubagentMessages(id, "a", { sessionStore }),
    );
    expect(value.length).toBe(4 * MANY);
    expect(tookMs).toBeLessThan(LIMIT_MS);
    expect(blockedMs).toBeLessThan(LONGEST_BLOCK_MS);
  });

  it("foldSessionSummary() reads a prompt with very many opening command tags", async () => {
    const content = "<bash-input>".repeat(MANY * 4);
    const entries = [{ type: "user", message: { role: "user", content } }];
    const { tookMs } = await watched(async () =>
      foldSessionSummary(undefined, { projectKey: "p", sessionId: id }, entries),
    );
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });

  it("StoreMirror accepts very many empty lines, and one line with very many entries", async () => {
    let taken = 0;
    const mirror = new StoreMirror(
      {
        load: async () => null,
        append: async (_, added) => {
          taken += added.length;
        },
      },
      { flush: "batched", onFailure: "report", projectsDir: "/c/projects", onError: () => {} },
    );
    const { tookMs } = await watched(async () => {
      const folder = `/c/projects/-work/${id}`;
      for (const n of numbers(MANY)) mirror.add(`${folder}/subagents/agent-${n}.jsonl`, []);
      mirror.add(`${folder}.jsonl`, [{ type: "user" }]);
      mirror.add(`${folder}.jsonl`, Array(4 * MANY).fill({ type: "user" }));
      await mirror.close();
    });
    expect(taken).toBe(4 * MANY + 1);
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });
});

/** A store of a caller that does not copy its entries. */
function storeOf(entries: readonly object[]): SessionStore {
  return { append: async () => {}, load: async () => entries as SessionStoreEntry[] };
}

/** Runs the work and measures for how long no timer could fire. */
async function watched<Value>(
  run: () => Promise<Value>,
): Promise<{ value: Value; tookMs: number; blockedMs: number }> {
  const begun = performance.now();
  let last = begun;
  let blockedMs = 0;
  const look = () => {
    const now = performance.now();
    blockedMs = Math.max(blockedMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  try {
    const value = await run();
    look();
    return { value, tookMs: performance.now() - begun, blockedMs };
  } finally {
    clearInterval(timer);
  }
}
