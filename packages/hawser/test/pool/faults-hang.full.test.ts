import { describe, expect, it } from "vitest";
import { complete } from "../../src/complete/index.js";
import type { Options } from "../../src/options/index.js";
import type { PoolOptions } from "../../src/pool/index.js";
import type { Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { eventually, failureOf, msOf, stage, when } from "./faults.helper.js";

const HANG = [{ hang: true }] as const;
const WARM = (options: Options): PoolOptions => ({ size: { min: 1, max: 2 }, warm: [options] });
/** Far below the pool's own limits, so that they do not hide the limits of the call. */
const SOON_MS = 8_000;

describe("Pool with a CLI that hangs", () => {
  it.each<[string, Step["on"]]>([
    ["at start", "start"],
    ["in initialize", "initialize"],
  ])("%s rejects the call with the timeout that it has without a pool", async (_, on) => {
    const at = await stage([{ on, times: "always", do: HANG }]);
    const options = { ...at.options, timeouts: { bootMs: 300 } };
    const expected = await failureOf(complete("alone", options));
    const { code, phase, message } = expected;
    expect(code).toBe("timeout");
    expect(await failureOf(at.pool.complete("word", options))).toMatchObject({
      code,
      phase,
      message,
    });
    expect(await failureOf(at.pool.openSession(options))).toMatchObject({ code, phase });
    expect(await at.sent("word")).toBe(0);
    await when(at, ({ calls, processes }) => calls.running === 0 && processes.closing === 0);
  });

  it("as a spare serves the call by another process after bootMs", async () => {
    const at = await stage([{ on: "start", process: 1, do: HANG }], WARM);
    await eventually(async () => expect(await startsOf(at.cli)).toHaveLength(1));
    const call = at.pool.complete("word", { ...at.options, timeouts: { bootMs: 2_000 } });
    expect(await msOf(call)).toBeLessThan(SOON_MS);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await at.sent("word")).toBe(1);
  });

  it("in initialize of a generic spare serves the call by another process", async () => {
    const steps: Step[] = [{ on: "initialize", process: 2, do: HANG }];
    const at = await stage(steps, { size: { min: 1, max: 4 } });
    await at.pool.complete("first", at.options);
    await when(at, ({ processes }) => processes.generic === 1);
    const more = { systemPrompt: "Another.", timeouts: { bootMs: 1_500 } };
    expect(await at.pool.complete("word", { ...at.options, ...more })).toMatchObject({
      text: "ok",
    });
    expect(await at.sent("word")).toBe(1);
  });

  it("in a reset serves the waiting call by another process after bootMs", async () => {
    const steps: Step[] = [{ on: "clear", process: 1, do: HANG }];
    const at = await stage(steps, { size: { min: 0, max: 1 } });
    await at.pool.complete("first", at.options);
    await when(at, ({ processes }) => processes.resetting === 1);
    const call = at.pool.complete("word", { ...at.options, timeouts: { bootMs: 2_000 } });
    expect(await msOf(call)).toBeLessThan(SOON_MS);
    expect(await call).toMatchObject({ text: "ok" });
    expect(await at.sent("word")).toBe(1);
  });

  it.each<[string, readonly Step[], PoolOptions | typeof WARM, number]>([
    ["a start", [{ on: "start", times: "always", do: HANG }], {}, 1],
    ["initialize", [{ on: "initialize", times: "always", do: HANG }], {}, 1],
    ["a start in the background", [{ on: "start", times: "always", do: HANG }], WARM, 0],
    ["initialize in the background", [{ on: "initialize", times: "always", do: HANG }], WARM, 0],
  ])("in %s ends it promptly by close()", async (_, steps, poolOptions, calls) => {
    const at = await stage(steps, poolOptions);
    const failures = Array.from({ length: calls }, () => {
      return failureOf(at.pool.complete("word", at.options));
    });
    await eventually(async () => expect(await startsOf(at.cli)).not.toHaveLength(0));
    expect(await msOf(at.pool.close())).toBeLessThan(SOON_MS);
    for (const each of failures) expect(await each).toMatchObject({ code: "pool_closed" });
  });

  it("in a reset ends it promptly by close(), and rejects the waiting call", async () => {
    const steps: Step[] = [{ on: "clear", times: "always", do: HANG }];
    const at = await stage(steps, { size: { min: 0, max: 1 } });
    await at.pool.complete("first", at.options);
    await when(at, ({ processes }) => processes.resetting === 1);
    const failure = failureOf(at.pool.complete("word", at.options));
    await when(at, ({ calls }) => calls.running === 1);
    expect(await msOf(at.pool.close())).toBeLessThan(SOON_MS);
    expect(await failure).toMatchObject({ code: "pool_closed" });
    expect(await at.sent("word")).toBe(0);
  });

  it("and ignores signals kills it by close()", async () => {
    const steps: Step[] = [
      { on: "user", do: HANG },
      { on: "eof", times: "always", do: HANG },
      { on: "SIGTERM", times: "always", do: HANG },
    ];
    const at = await stage(steps);
    const failure = failureOf(at.pool.complete("word", at.options));
    await eventually(async () => expect(await at.sent("word")).toBe(1));
    expect(await msOf(at.pool.close())).toBeLessThan(SOON_MS);
    expect(await failure).toMatchObject({ code: "pool_closed" });
  });
});

describe("Pool with a CLI that prints an unexpected message", () => {
  const chatter: Step["do"] = [{ default: true }, { sleep: 50 }, { emit: { type: "chatter" } }];

  it("after initialize discards the spare with unexpected_output", async () => {
    const at = await stage([{ on: "initialize", process: 1, do: chatter }], WARM);
    await eventually(() => expect(at.told.discarded).toHaveLength(1));
    expect(at.told.discarded[0]).toMatchObject({
      pid: at.told.pids[0],
      reason: "unexpected_output",
    });
    expect(await at.pool.complete("word", at.options)).toMatchObject({ text: "ok" });
    const [first] = await startsOf(at.cli);
    expect(first?.lines.filter((line) => line.includes("word"))).toEqual([]);
  });

  it("after a reset discards the process", async () => {
    const at = await stage([{ on: "clear", process: 1, do: chatter }]);
    await at.pool.complete("first", at.options);
    await eventually(() => expect(at.told.discarded).toHaveLength(1));
    expect(await at.pool.complete("word", at.options)).toMatchObject({ text: "ok" });
    expect(at.pool.stats().calls.by).toMatchObject({ cold: 2, recycled: 0 });
  });

  it("pauses before it starts the next spare", async () => {
    const steps: Step[] = [{ on: "initialize", times: "always", do: chatter }];
    const at = await stage(steps, WARM);
    const discards = () => at.told.discarded.length;
    await eventually(() => expect(discards()).toBeGreaterThanOrEqual(2));
    const [before, from] = [discards(), performance.now()];
    await eventually(() => expect(discards()).toBeGreaterThan(before));
    expect(performance.now() - from).toBeGreaterThan(1_000);
  });
});
