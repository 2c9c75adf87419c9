import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import type { PoolOptions } from "../../src/pool/index.js";
import type { Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { eventually, failureOf, kill9, type Stage, stage, when } from "./faults.helper.js";

const WARM = (options: Options): PoolOptions => ({ size: { min: 1, max: 2 }, warm: [options] });
const hangsAt = (on: Step["on"], more: Partial<Step> = {}): Step => ({
  on,
  process: 1,
  do: [{ hang: true }],
  ...more,
});

/** Waits until the process of this number has started. */
async function isUp({ cli }: Stage, nth: number): Promise<void> {
  await eventually(async () => expect(await startsOf(cli)).toHaveLength(nth));
}

/** Waits until the process of this number has received a line with these words. */
async function received({ cli }: Stage, nth: number, words: string): Promise<void> {
  await eventually(async () => {
    const process = (await startsOf(cli))[nth - 1];
    expect(process?.lines.some((line) => line.includes(words))).toBe(true);
  });
}

describe("Pool serves a call by another process when the first process is killed before the prompt was sent", () => {
  it("while the process starts as a spare and the call waits for it", async () => {
    const on = await stage([hangsAt("start")], WARM);
    await isUp(on, 1);
    const call = on.pool.complete("word", on.options);
    await when(on, ({ calls }) => calls.running === 1);
    kill9(on.told.pids[0]);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await on.sent("word")).toBe(1);
    expect(on.pool.stats().calls).toMatchObject({ succeeded: 1, failed: 0 });
  });

  it("while the process starts as a spare and no call waits for it", async () => {
    const on = await stage([hangsAt("start")], WARM);
    await isUp(on, 1);
    kill9(on.told.pids[0]);
    // The pool starts another spare, though no call waits for it.
    await when(on, ({ processes }) => processes.initialized === 1);
    expect(on.told.pids).toHaveLength(2);
    expect(await on.pool.complete("word", on.options)).toMatchObject({ text: "ok" });
    expect(on.pool.stats().calls.by.initialized).toBe(1);
  });

  it.each<[string, Step]>([
    ["before any request", hangsAt("start")],
    ["during initialize", hangsAt("initialize")],
  ])("while the process starts for the call, %s", async (_, step) => {
    const on = await stage([step]);
    const call = on.pool.complete("word", on.options);
    await isUp(on, 1);
    if (step.on === "initialize") await received(on, 1, "initialize");
    kill9(on.told.pids[0]);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await on.sent("word")).toBe(1);
    expect(on.told.pids).toHaveLength(2);
  });

  it("while the process is a generic spare that initializes for the call", async () => {
    const steps = [hangsAt("initialize", { process: 2 })];
    const on = await stage(steps, { size: { min: 1, max: 4 } });
    await on.pool.complete("first", on.options);
    await when(on, ({ processes }) => processes.generic === 1);
    const call = on.pool.complete("word", { ...on.options, systemPrompt: "Another." });
    await received(on, 2, "initialize");
    kill9(on.told.pids[1]);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await on.sent("word")).toBe(1);
    expect(on.pool.stats().processes.discarded).toMatchObject({
      failed_when_needed: 1,
    });
  });

  it.each<["generic" | "initialized" | "recycled"]>([["generic"], ["initialized"], ["recycled"]])(
    "while the process is idle: %s",
    async (kind) => {
      const on = await stage([], (options) => ({
        size: { min: kind === "recycled" ? 0 : 1, max: 4 },
        warm: kind === "initialized" ? [options] : [],
      }));
      if (kind !== "initialized") await on.pool.complete("first", on.options);
      await when(on, ({ processes }) => processes[kind] === 1);
      const victim = on.told.pids.at(-1);
      kill9(victim);
      await eventually(() => expect(on.told.discarded.map(({ pid }) => pid)).toContain(victim));
      expect(on.pool.stats().processes.discarded).toEqual({ exited: 1 });
      const other = kind === "generic" ? { systemPrompt: "Another." } : {};
      expect(await on.pool.complete("word", { ...on.options, ...other })).toMatchObject({
        text: "ok",
      });
      expect(await on.sent("word")).toBe(1);
    },
  );

  it("while the process is reset and the call waits for that", async () => {
    const on = await stage([hangsAt("clear")], { size: { min: 0, max: 1 } });
    await on.pool.complete("first", on.options);
    const call = on.pool.complete("word", on.options);
    await received(on, 1, "/clear");
    await when(on, ({ calls }) => calls.running === 1);
    kill9(on.told.pids[0]);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await on.sent("word")).toBe(1);
    expect(on.told.pids).toHaveLength(2);
    expect(on.told.discarded[0]?.reason).toBe("reset_failed");
  });
});

describe("Pool with a process that is killed at the moment a call takes it", () => {
  it.each<["generic" | "initialized" | "recycled"]>([["generic"], ["initialized"], ["recycled"]])(
    "sends the prompt at most once: %s",
    async (kind) => {
      const on = await stage([], (options) => ({
        size: { min: kind === "recycled" ? 0 : 1, max: 4 },
        warm: kind === "initialized" ? [options] : [],
      }));
      if (kind !== "initialized") await on.pool.complete("first", on.options);
      await when(on, ({ processes }) => processes[kind] === 1);
      kill9(on.told.pids.at(-1));
      const other = kind === "generic" ? { systemPrompt: "Another." } : {};
      const outcome = await on.pool.complete("word", { ...on.options, ...other }).then(
        ({ text }) => text,
        ({ code }) => code,
      );
      // The pipe may have accepted the prompt before the kernel ended the process.
      expect(["ok", "process_exited"]).toContain(outcome);
      expect(await on.sent("word")).toBe(outcome === "ok" ? 1 : 0);
    },
  );
});

describe("Pool rejects with process_exited and sends nothing again when the process is killed after the prompt was sent", () => {
  it.each<[string, (on: Stage) => Promise<unknown>]>([
    ["complete", ({ pool, options }) => pool.complete("word", options)],
    ["stream", ({ pool, options }) => pool.stream("word", options).completion],
    ["session", async ({ pool, options }) => (await pool.openSession(options)).send("word").result],
  ])("by %s", async (_, begin) => {
    const on = await stage([hangsAt("user")]);
    const call = begin(on);
    const failure = failureOf(call);
    await received(on, 1, "word");
    kill9(on.told.pids[0]);
    expect(await failure).toMatchObject({ code: "process_exited", signal: "SIGKILL" });
    expect(await on.sent("word")).toBe(1);
    expect(on.told.pids).toHaveLength(1);
    await when(on, ({ calls }) => calls.running === 0);
    // The pool still serves calls.
    expect(await on.pool.complete("next", on.options)).toMatchObject({ text: "ok" });
  });

  it("unless `retry` asks for another attempt, which is made once", async () => {
    const on = await stage([hangsAt("user")]);
    const retry = { attempts: 1, baseMs: 1 };
    const call = on.pool.complete("word", { ...on.options, retry });
    await received(on, 1, "word");
    kill9(on.told.pids[0]);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await on.sent("word")).toBe(2);
  });
});
