import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HawserError, isHawserError } from "../../src/base/index.js";
import type { Options, SessionKey, SessionStoreEntry } from "../../src/options/index.js";
import { query } from "../../src/query/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { always, type ReplyScript, toolUse } from "../../src/testing/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";
import { isSystem, type Message } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { treeOf } from "../support/proc.js";
import { type World, world } from "../support/world.js";

/** A store that refuses everything from the entry on that holds a word. */
class RefusingStore extends InMemorySessionStore {
  readonly #word: string;
  readonly #error: Error;
  refusals = 0;
  /** Resolves at the first refusal. */
  readonly refused: Promise<void>;
  #settleRefused: () => void = () => {};

  constructor(word: string, error: Error) {
    super();
    this.refused = new Promise((resolve) => {
      this.#settleRefused = resolve;
    });
    this.#word = word;
    this.#error = error;
  }

  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    if (this.refusals > 0 || JSON.stringify(entries).includes(this.#word)) {
      this.refusals += 1;
      this.#settleRefused();
      throw this.#error;
    }
    await super.append(key, entries);
  }
}

async function open(
  cliPath: string,
  replies: ReplyScript,
  more: Options,
): Promise<World & { readonly session: Session }> {
  const place = await world(cliPath, replies);
  const session = await openSession({
    ...place.options,
    sessionStoreFlush: "eager",
    ...more,
  });
  onTestFinished(() => session.close());
  return { ...place, session };
}

const touch = (file: string) => toolUse("Bash", { command: `touch ${file}`, description: "d" });

describe.each(clisInTurn())("onStoreFailure on $name", ({ path }) => {
  it("end: a refused entry ends the session with the store's own error, before another tool begins", async () => {
    const sessionStore = new RefusingStore("touch one", new HawserError("lease_lost", "Epoch 2."));
    const { session, cwd } = await open(
      path,
      ({ toolResults }) => (toolResults.length === 0 ? touch("one") : touch("two")),
      {
        sessionStore,
        onStoreFailure: "end",
        recover: true,
        allowedTools: ["Bash"],
        // So that the CLI would begin the second call right after the refusal.
        hooks: {
          PostToolUse: [{ hooks: [() => sessionStore.refused.then(() => ({}))] }],
        },
      },
    );
    const { pid = 0 } = session;
    const seen: Message[] = [];
    const turn = session.send("Go.");
    const error = await (async () => {
      for await (const message of turn) seen.push(message);
    })().catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "lease_lost",
      message: "Epoch 2.",
      sessionId: session.id,
    });
    await expect(turn.result).rejects.toMatchObject({ code: "lease_lost" });
    // The process is gone before the turn rejects.
    expect(treeOf(process.pid).filter((each) => each.pid === pid)).toEqual([]);
    expect(sessionStore.refusals).toBe(1);
    expect(seen.filter((message) => isSystem(message, "mirror_error")).length).toBe(1);
    expect(existsSync(join(cwd, "two"))).toBe(false);
    // `recover` does not start another process.
    await expect(session.send("Again.").result).rejects.toMatchObject({ code: "lease_lost" });
    await expect(session.idle()).rejects.toMatchObject({ code: "lease_lost" });
    expect(session.pid).toBe(pid);
  });

  it("end: a result that the store has no entries for is not given, and a plain error is the cause", async () => {
    const full = new Error("disk full");
    const sessionStore = new RefusingStore("The answer.", full);
    const { session } = await open(path, ["The answer."], { sessionStore, onStoreFailure: "end" });
    const failure = await session.send("Ask.").result.catch((caught: unknown) => caught);
    expect(failure).toMatchObject({
      code: "storage_failed",
      message: "disk full",
      sessionId: session.id,
    });
    expect(isHawserError(failure) && failure.cause).toMatchObject({ message: "disk full" });
    expect(sessionStore.refusals).toBe(3);
  });

  it("report: a refused entry is a message mirror_error, and the session goes on", async () => {
    const sessionStore = new RefusingStore("one", new HawserError("lease_lost"));
    const { session } = await open(path, always("fine"), { sessionStore });
    const seen: Message[] = [];
    const reading = (async () => {
      for await (const message of session) seen.push(message);
    })();
    expect(await session.send("one").text()).toBe("fine");
    expect(await session.send("two").text()).toBe("fine");
    await session.close();
    await reading;
    expect(seen.some((message) => isSystem(message, "mirror_error"))).toBe(true);
  });

  it("end: query() throws the error of the store", async () => {
    const place = await world(path, always("fine"));
    const sessionStore = new RefusingStore("one", new HawserError("lease_lost", "Epoch 2."));
    const q = query({
      prompt: "one",
      options: { ...place.options, sessionStore, onStoreFailure: "end" } as never,
    });
    const error = await (async () => {
      for await (const message of q) void message;
    })().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "lease_lost", message: "Epoch 2." });
  });
});
