import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { complete, stream } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import { createPool } from "../../src/pool/index.js";
import { openSession } from "../../src/session/index.js";
import { always, apiError, hang, type RecordedRequest, toolUse } from "../../src/testing/index.js";
import { InMemorySessionStore } from "../../src/transcripts/index.js";
import { isMessage } from "../../src/wire/index.js";
import { clisInTurn, FULL, NEWEST_CLI } from "../support/cli.js";
import { type World, world } from "../support/world.js";
import { atRest, onFake, until } from "./on-fake.helper.js";

const KNOT = { name: "bowline", turns: 1 };
const gives = (value: Record<string, unknown>) => toolUse("StructuredOutput", value);

function bodyOf(request: RecordedRequest | undefined): string {
  return JSON.stringify(request?.body);
}

function foldersIn({ cwd }: World, ...names: string[]): string[] {
  const folders = names.map((name) => join(cwd, name));
  for (const folder of folders) mkdirSync(folder);
  return folders;
}

describe("Pool on the newest real CLI", () => {
  // spares.test.ts has this on the fake CLI.
  it.runIf(FULL)(
    "serves another system prompt, another model and another folder with a generic spare",
    async () => {
      const place = await world(NEWEST_CLI, always("Hello."));
      const { model, options } = place;
      const folders = foldersIn(place, "first", "second", "third");
      await using pool = createPool({ isolation: "process", size: { min: 1, max: 3 } });
      for (const [n, cwd] of folders.entries()) {
        const own = { systemPrompt: `You are number ${n}.`, model: `claude-sonnet-4-${n}` };
        await pool.complete("x", { ...options, ...own, cwd });
        // After the second call there is a spare for any folder, beside the spare of the first folder.
        if (n < 2) await until(pool, ({ processes: { generic } }) => generic === n + 1);
      }
      expect(pool.stats().calls.by).toMatchObject({ cold: 2, generic: 1 });
      for (const [n, call] of model.calls.entries()) {
        expect(call.model).toBe(`claude-sonnet-4-${n}`);
        const said = [0, 1, 2].filter((i) => call.system.includes(`You are number ${i}.`));
        expect(said).toEqual([n]);
        expect(folders.filter((folder) => bodyOf(call).includes(folder))).toEqual([folders[n]]);
      }
    },
  );

  it("initializes a spare for each entry of `warm`, also with a schema", async () => {
    const { model, options } = await world(NEWEST_CLI, [
      ...(FULL ? [gives(KNOT)] : []),
      gives(KNOT),
      "Hello.",
    ]);
    const fields = { name: z.string(), turns: z.number().int() };
    const valibot = toStandardJsonSchema(v.object({ name: v.string(), turns: v.number() }));
    const announced: Options[] = [
      ...(FULL ? [{ ...options, systemPrompt: "You tie.", schema: z.object(fields) }] : []),
      { ...options, systemPrompt: "You untie.", schema: valibot as never },
      { ...options, systemPrompt: "You talk.", model: "claude-sonnet-4-5" },
    ];
    await using pool = createPool({ size: { min: 1, max: 3 }, warm: announced });
    await until(pool, ({ processes }) => processes.initialized === announced.length);
    for (const call of announced) await pool.complete("x", call);
    const { calls, processes } = await atRest(pool);
    const count = announced.length;
    expect(calls.by).toEqual({ initialized: count, recycled: 0, generic: 0, cold: 0, alone: 0 });
    expect(processes).toMatchObject({ started: count, recycled: count });
    expect(model.calls.map(({ tools }) => tools)).toEqual(
      announced.map(({ schema }) => (schema === undefined ? [] : ["StructuredOutput"])),
    );
    expect(model.calls.at(-1)).toMatchObject({ model: "claude-sonnet-4-5" });
  });
});

it("Pool calls have the results, repairs, retries, streams and aborts of calls without a pool", async () => {
  const { model, options } = await world(NEWEST_CLI, [
    "Plain.",
    "Plain.",
    gives({ ...KNOT, turns: 2 }),
    gives(KNOT),
    apiError(500),
    "At last.",
    "Streamed.",
    hang("Half"),
    "After.",
  ]);
  await using pool = createPool({ size: { min: 0, max: 2 } });
  const call = { ...options, systemPrompt: "You are the same." };
  const plain = await complete("Hi.", call);
  const pooled = await complete("Hi.", { ...call, pool });
  const shape = (completion: object) => Object.keys(completion).sort();
  expect(shape(pooled)).toEqual(shape(plain));
  expect([pooled.text, pooled.stop, pooled.credential]).toEqual([
    plain.text,
    plain.stop,
    plain.credential,
  ]);
  expect(model.calls[1]?.system).toBe(model.calls[0]?.system);

  const knot = z.object({ name: z.string(), turns: z.number() });
  const schema = knot.refine(({ turns }) => turns === 1, "Only one turn.");
  const asked = pool.stream("Name a knot.", { ...call, schema });
  const notices: unknown[] = [];
  for await (const part of asked) if (isMessage(part, "hawser")) notices.push(part.subtype);
  expect([(await asked.completion).value, notices]).toEqual([KNOT, ["repairing"]]);

  const retry = { attempts: 1, baseMs: 1, cliRetries: 0 };
  expect((await pool.complete("Again.", { ...call, retry })).text).toBe("At last.");

  const watched = stream("Tell.", { ...call, pool });
  const pieces: string[] = [];
  for await (const piece of watched.textStream) pieces.push(piece);
  expect([pieces.join(""), (await watched.completion).text]).toEqual(["Streamed.", "Streamed."]);

  const left = pool.stream("Tell.", { ...call, includePartialMessages: true });
  for await (const message of left) if (isMessage(message, "stream_event")) break;
  await expect(left.completion).rejects.toMatchObject({ code: "aborted" });
  expect((await pool.complete("And then?", call)).text).toBe("After.");
  expect(bodyOf(model.calls.at(-1))).not.toContain("Half");
  const { calls } = await atRest(pool);
  expect(calls).toMatchObject({ succeeded: 5, failed: 2, queued: 0, running: 0 });
});

describe.each(clisInTurn())("Pool on the real CLI $name", ({ path }) => {
  it("resumes sessions that its calls have kept, by complete(), openSession() and autoResume", async () => {
    const { model, options } = await world(path, [
      "Kept.",
      "Gone on.",
      "And on.",
      toolUse("Bash", { command: "echo 1", description: "d" }),
      "Done.",
    ]);
    await using pool = createPool({ size: { min: 0 } });
    const kept = { ...options, persistSession: true };
    const { sessionId } = await pool.complete("Remember.", kept);
    const second = await pool.complete("And?", { ...kept, resume: sessionId });
    expect([second.text, second.sessionId]).toEqual(["Gone on.", sessionId]);
    expect(bodyOf(model.calls[1])).toContain("Remember.");
    await using session = await openSession({ ...kept, resume: sessionId, pool });
    expect(await session.send("Well?").text()).toBe("And on.");
    await session.close();
    const work: Options = { tools: ["Bash"], allowedTools: ["Bash"], maxTurns: 1, autoResume: 1 };
    const resumed = await pool.complete("Work.", { ...options, ...work });
    expect(resumed).toMatchObject({ text: "Done.", resumes: 1 });
    const { calls } = await atRest(pool);
    expect(calls.by).toMatchObject({ alone: 2 });
  });
});

describe("Pool", () => {
  it.each<[string, () => Options]>([
    ["sessionId", () => ({ sessionId: crypto.randomUUID() })],
    ["resume", () => ({ resume: crypto.randomUUID(), persistSession: true })],
    ["continue", () => ({ continue: true, persistSession: true })],
    ["sessionStore", () => ({ sessionStore: new InMemorySessionStore(), persistSession: true })],
    [
      "spawnClaudeCodeProcess",
      () => ({
        spawnClaudeCodeProcess: ({ command, args, cwd, env }) =>
          spawn(command, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] }),
      }),
    ],
  ])("serves a call with %s by a process of its own, and counts it as alone", async (_why, own) => {
    const { pool, options } = await onFake({ size: { max: 1 }, isolation: "auto" });
    const call = { ...options, ...own() };
    expect((await pool.complete("x", call)).text).toBe("ok");
    const { calls, processes } = await atRest(pool);
    expect([calls.by.alone, calls.cold, calls.succeeded]).toEqual([1, 1, 1]);
    expect(processes).toMatchObject({ generic: 0, initialized: 0, recycled: 0 });
  });
});
