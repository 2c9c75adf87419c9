import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { openSession } from "../../src/session/index.js";
import { always, hang, type RecordedRequest } from "../../src/testing/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { treeOf, until } from "../support/proc.js";
import { type World, world } from "../support/world.js";

interface Said {
  readonly id: string | undefined;
  /** The uuid of the answer's message. */
  readonly answer: string | undefined;
  /** What the model knew of what was said before. */
  readonly knew: readonly string[];
}

/** Says one thing in a session of its own, from its start to its end. */
async function say({ options, model }: World, prompt: string, more: Options): Promise<Said> {
  await using session = await openSession({ ...options, ...more });
  const turn = session.send(prompt);
  let answer: string | undefined;
  for await (const message of turn) if (isMessage(message, "assistant")) answer = message.uuid;
  return { id: session.id, answer, knew: words(model.calls.at(-1)) };
}

function words(call: RecordedRequest | undefined): string[] {
  const said = JSON.stringify(call?.body);
  return WORDS.filter((word) => said.includes(word));
}

const WORDS = ["apple", "cherry", "damson", "elder", "quince"];

/** The processes of this CLI that are below this program. */
function left(path: string): unknown[] {
  return treeOf(process.pid).filter(({ command }) => command.includes(path));
}

describe.each(clisInTurn())("openSession() on $name", ({ path }) => {
  it("takes sessionId, resume, forkSession, resumeSessionAt and continue", async () => {
    const place = await world(path, always("ok"));
    const id = randomUUID();
    const apple = await say(place, "apple", { sessionId: id });
    expect([apple.id, apple.knew]).toEqual([id, ["apple"]]);

    const cherry = await say(place, "cherry", { resume: id });
    expect([cherry.id, cherry.knew]).toEqual([id, ["apple", "cherry"]]);

    const damson = await say(place, "damson", { resume: id, forkSession: true });
    expect(damson.id).not.toBe(id);
    expect(damson.knew).toEqual(["apple", "cherry", "damson"]);

    const elder = await say(place, "elder", {
      resume: id,
      forkSession: true,
      resumeSessionAt: apple.answer,
    });
    expect(elder.knew).toEqual(["apple", "elder"]);

    const quince = await say(place, "quince", { continue: true });
    expect([quince.id, quince.knew]).toEqual([elder.id, ["apple", "elder", "quince"]]);
  });

  it("gives the session an id before the first turn", async () => {
    const place = await world(path, always("ok"));
    await using session = await openSession(place.options);
    const { id } = session;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect((await session.send("hi").result).session_id).toBe(id);
  });

  it("is resumable when the CLI has written the prompt, also if the process is then killed", async () => {
    const place = await world(path, [hang(), "ok"]);
    const session = await openSession(place.options);
    expect(session.resumable).toBe(false);
    const turn = session.send("apple");
    await until(() => session.resumable);
    await session.kill();
    await expect(turn.result).rejects.toMatchObject({ code: "closed" });

    const cherry = await say(place, "cherry", { resume: session.id });
    expect([cherry.id, cherry.knew]).toEqual([session.id, ["apple", "cherry"]]);
    await using again = await openSession({ ...place.options, resume: session.id });
    expect(again.resumable).toBe(true);
  });

  it("is not resumable with persistSession: false", async () => {
    const { options } = await world(path, always("ok"));
    await using session = await openSession({ ...options, persistSession: false });
    await session.send("apple").result;
    expect(session.resumable).toBe(false);
  });

  it("rejects with session_not_found and leaves no process when resume names no session", async () => {
    const { options } = await world(path, []);
    const id = randomUUID();
    await expect(openSession({ ...options, resume: id })).rejects.toMatchObject({
      code: "session_not_found",
      message: expect.stringContaining(id),
    });
    expect(left(path)).toEqual([]);
  });

  it("rejects with session_in_use and leaves no process when sessionId is taken", async () => {
    const place = await world(path, always("ok"));
    const { id } = await say(place, "apple", {});
    await expect(openSession({ ...place.options, sessionId: id })).rejects.toMatchObject({
      code: "session_in_use",
    });
    expect(left(path)).toEqual([]);
  });
});
