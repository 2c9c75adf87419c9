import { mkdtempSync, readdirSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options, SessionStoreEntry } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";
import { reusedFake } from "../support/reused-fake.js";

const SESSION = "11111111-2222-4333-8444-555555555555";

/** A store that loads a session only when it is told to. */
class SlowStore extends InMemorySessionStore {
  readonly asked: Promise<void>;
  readonly #loaded: Promise<SessionStoreEntry[]>;
  answer: (entries: SessionStoreEntry[]) => void = () => {};
  #tellAsked: () => void = () => {};

  constructor() {
    super();
    this.asked = new Promise((resolve) => {
      this.#tellAsked = resolve;
    });
    this.#loaded = new Promise((resolve) => {
      this.answer = resolve;
    });
  }

  override load(): Promise<SessionStoreEntry[]> {
    this.#tellAsked();
    return this.#loaded;
  }
}

async function scene(): Promise<{ readonly store: SlowStore; readonly options: Options }> {
  const { path } = await reusedFake();
  const store = new SlowStore();
  // Longer than the test may take.
  const options = { sessionStore: store, resume: SESSION, loadTimeoutMs: 600_000 };
  return { store, options: { cliPath: path, ...options } };
}

describe("a session whose store does not answer", () => {
  it("ends with aborted when its call is aborted", async () => {
    const { store, options } = await scene();
    const controller = new AbortController();
    const call = complete("x", { ...options, signal: controller.signal });
    await store.asked;
    controller.abort("enough");
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });

  it.each([
    ["bootMs", "boot"],
    ["totalMs", "total"],
  ])("ends with timeout at %s of its call", async (name, phase) => {
    const { options } = await scene();
    const call = complete("x", { ...options, timeouts: { [name]: 300 } });
    await expect(call).rejects.toMatchObject({ code: "timeout", phase });
  });

  it("ends with aborted while it is opened, and removes what the store loads later", async () => {
    const root = mkdtempSync(join(tmpdir(), "hawser-slow-store-"));
    vi.stubEnv("TMPDIR", root);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(root, { recursive: true });
    });
    const { store, options } = await scene();
    const controller = new AbortController();
    const opening = openSession({ ...options, signal: controller.signal });
    await store.asked;
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "aborted" });
    const changes = vi.fn();
    const watcher = watch(root, changes);
    onTestFinished(() => watcher.close());
    const entry = { type: "user", uuid: SESSION, sessionId: SESSION, message: { content: "x" } };
    store.answer([entry as unknown as SessionStoreEntry]);
    await vi.waitFor(
      () => {
        expect(changes.mock.calls.length).toBeGreaterThanOrEqual(2);
        expect(readdirSync(root)).toEqual([]);
      },
      { timeout: 20_000 },
    );
  });
});
