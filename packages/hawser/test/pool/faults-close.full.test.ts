import { describe, expect, it } from "vitest";
import type { Options } from "../../src/options/index.js";
import { processes } from "../../src/process/index.js";
import type { Step } from "../../src/testing/index.js";
import { startsOf } from "../support/starts.js";
import { eventually, failureOf, msOf, type Stage, stage, when } from "./faults.helper.js";

const ONE = { size: { min: 0, max: 1 } } as const;
const HANG: Step = { on: "user", times: "always", do: [{ hang: true }] };
const SLOW: Step = { on: "user", times: "always", do: [{ sleep: 300 }, { default: true }] };
const OVERLOADED = { is_error: true, api_error_status: 529, result: "API Error: 529 Overloaded" };
/** An attempt that fails, after which the retry waits at least this long. */
const paused = (retry_after_ms: number): Step => ({
  on: "user",
  do: [{ init: {} }, { result: { ...OVERLOADED, retry_after_ms } }],
});

const closed = { code: "pool_closed" };

async function expectClosed({ pool, options, told }: Stage): Promise<void> {
  expect(processes()).toEqual([]);
  const starts = told.pids.length;
  expect(await failureOf(pool.complete("late", options))).toMatchObject(closed);
  expect(await failureOf(pool.stream("late", options).completion)).toMatchObject(closed);
  expect(await failureOf(pool.openSession(options))).toMatchObject(closed);
  expect(told.pids).toHaveLength(starts);
}

describe("Pool.drain()", () => {
  it("finishes running and waiting calls, rejects new calls with pool_closed, and leaves no process", async () => {
    const at = await stage([SLOW], ONE);
    const calls = [1, 2, 3].map((n) => at.pool.complete(`call ${n}`, at.options));
    await when(at, ({ calls: { running, queued } }) => running === 1 && queued === 2);
    const drained = at.pool.drain();
    expect(await failureOf(at.pool.complete("late", at.options))).toMatchObject(closed);
    expect(await failureOf(at.pool.openSession(at.options))).toMatchObject(closed);
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["ok", "ok", "ok"]);
    await drained;
    await expectClosed(at);
    expect(await at.sent("late")).toBe(0);
  });

  it("waits for a call that pauses between two attempts", async () => {
    const at = await stage([{ ...paused(0), process: 1 }]);
    const retry = { attempts: 1, baseMs: 1_000 };
    const call = at.pool.complete("word", { ...at.options, retry });
    await when(at, ({ calls }) => calls.failed === 1 && calls.running === 0);
    const drained = at.pool.drain();
    expect(await call).toMatchObject({ text: "ok" });
    await drained;
    await expectClosed(at);
    expect(await at.sent("word")).toBe(2);
  });

  it("waits until the caller closes an open session", async () => {
    const at = await stage([]);
    const session = await at.pool.openSession(at.options);
    let isDrained = false;
    const drained = at.pool.drain().then(() => {
      isDrained = true;
    });
    expect(await session.send("word").text()).toBe("ok");
    expect(isDrained).toBe(false);
    await session.close();
    await drained;
    await expectClosed(at);
  });

  it("waits for the exit of a process that served one call alone", async () => {
    const at = await stage([{ on: "eof", times: "always", do: [{ sleep: 100 }, { exit: 0 }] }]);
    // A call with a sessionId has a process of its own.
    const sessionId = "5e55101d-0000-4000-8000-000000000001";
    const call = at.pool.complete("word", { ...at.options, sessionId });
    await at.pool.drain();
    expect(processes()).toEqual([]);
    expect(await call).toMatchObject({ text: "ok" });
  });

  it("can be cut short by close()", async () => {
    const at = await stage([HANG], ONE);
    const failures = [1, 2].map((n) => failureOf(at.pool.complete(`call ${n}`, at.options)));
    await eventually(async () => expect(await at.sent("call 1")).toBe(1));
    const drained = at.pool.drain();
    await at.pool.close();
    await drained;
    for (const failure of failures) expect(await failure).toMatchObject(closed);
    await expectClosed(at);
  });

  it("resolves at once for an unused pool, also when it is called twice", async () => {
    const at = await stage([]);
    await Promise.all([at.pool.drain(), at.pool.drain()]);
    await at.pool.close();
    await expectClosed(at);
  });
});

describe("Pool.close()", () => {
  it("rejects running and waiting calls with pool_closed, and resolves when no process is left", async () => {
    const at = await stage([HANG], { size: { min: 0, max: 2 } });
    const failures = [1, 2, 3, 4].map((n) => failureOf(at.pool.complete(`call ${n}`, at.options)));
    const stream = at.pool.stream("stream", at.options);
    await when(at, ({ calls }) => calls.running === 2 && calls.queued === 3);
    await eventually(async () => expect(await at.sent("call ")).toBe(2));
    const [first, second] = [at.pool.close(), at.pool.close()];
    await Promise.all([first, second]);
    for (const failure of failures) expect(await failure).toMatchObject(closed);
    expect(await failureOf(stream.completion)).toMatchObject(closed);
    await expectClosed(at);
    expect(await at.sent("call ")).toBe(2);
  });

  it.each<[string, Options]>([
    ["a process of the pool", {}],
    ["a process of its own", { sessionId: "5e55101d-0000-4000-8000-000000000002" }],
  ])("ends an open session and its turn, on %s", async (_, more) => {
    const at = await stage([HANG]);
    const session = await at.pool.openSession({ ...at.options, ...more });
    const failure = failureOf(session.send("word").result);
    await eventually(async () => expect(await at.sent("word")).toBe(1));
    await at.pool.close();
    expect(processes()).toEqual([]);
    expect(await failure).toMatchObject(closed);
    expect(await failureOf(session.send("more").result)).toMatchObject(closed);
    await session.close();
  });

  it("ends a process that starts for one call alone", async () => {
    const at = await stage([{ on: "start", times: "always", do: [{ hang: true }] }]);
    const sessionId = "5e55101d-0000-4000-8000-000000000003";
    const failures = [
      failureOf(at.pool.complete("word", { ...at.options, sessionId })),
      failureOf(at.pool.openSession({ ...at.options, sessionId })),
    ];
    await eventually(async () => expect(await startsOf(at.cli)).toHaveLength(2));
    expect(await msOf(at.pool.close())).toBeLessThan(5_000);
    for (const failure of failures) expect(await failure).toMatchObject(closed);
    expect(processes()).toEqual([]);
  });

  it("rejects a call that pauses between two attempts, at once", async () => {
    const at = await stage([paused(0)]);
    const retry = { attempts: 1, baseMs: 2 ** 30, maxMs: 2 ** 30, budgetMs: 2 ** 31 };
    const timeouts = { totalMs: 2 ** 31 };
    const failure = failureOf(at.pool.complete("word", { ...at.options, retry, timeouts }));
    await when(at, ({ calls }) => calls.failed === 1 && calls.running === 0);
    await at.pool.close();
    expect(await failure).toMatchObject(closed);
    expect(await at.sent("word")).toBe(1);
    await expectClosed(at);
  });

  it("leaves no process right after createPool(), a start, an answer or a reset", async () => {
    for (const moment of ["created", "started", "answered", "reset"]) {
      const at = await stage([], (options) => ({ size: { min: 2, max: 4 }, warm: [options] }));
      if (moment === "started") await when(at, (stats) => stats.processes.starting > 0);
      if (moment === "answered" || moment === "reset") await at.pool.complete("a", at.options);
      if (moment === "reset") await when(at, (stats) => stats.processes.resetting > 0);
      await at.pool.close();
      await expectClosed(at);
    }
  });

  it("rejects a call at once while the CLI is asked for its version", async () => {
    const at = await stage([{ on: "version", times: "always", do: [{ sleep: 1_000 }] }]);
    const failure = failureOf(at.pool.complete("word", at.options));
    await eventually(async () => expect(await at.cli.recorded()).toHaveLength(1));
    const closing = at.pool.close().then(() => "closed");
    // close() waits for that process, and the call does not.
    expect(await Promise.race([failure.then(() => "told"), closing])).toBe("told");
    expect(await failure).toMatchObject(closed);
    await closing;
    await expectClosed(at);
  });
});
