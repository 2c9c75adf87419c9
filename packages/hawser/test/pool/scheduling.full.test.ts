import { describe, expect, it } from "vitest";
import { type Completion, complete } from "../../src/complete/index.js";
import { createPool, type Pool } from "../../src/pool/index.js";
import { apiError, usageLimit } from "../../src/testing/index.js";
import { NEWEST_CLI } from "../support/cli.js";
import { world } from "../support/world.js";
import { atRest, onFake, refusedTurn, slowTurn, until } from "./on-fake.helper.js";

const SLOW = { steps: [{ on: "user", times: "always", do: slowTurn(150) }] } as const;
const QUICK = { steps: [{ on: "user", times: "always", do: slowTurn(5) }] } as const;
const FIRST_SLOW = { steps: [{ on: "user", do: slowTurn(1500) }] } as const;

/** The most calls or processes that were seen at once. */
async function mostAtOnce(pool: Pool, calls: readonly Promise<unknown>[]): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    const { running } = pool.stats().calls;
    most = Math.max(most, running, pool.stats().processes.serving);
  }, 5);
  await Promise.all(calls);
  clearInterval(timer);
  return most;
}

describe("Pool", () => {
  it("serves at most `concurrency` calls at once, and all of them in the end", async () => {
    const { pool, options, prompts } = await onFake({ concurrency: 2, size: { max: 3 } }, SLOW);
    const calls = Array.from({ length: 8 }, (_, i) =>
      pool.complete(`p${i}`, { ...options, systemPrompt: `s${i % 3}` }),
    );
    expect(await mostAtOnce(pool, calls)).toBe(2);
    expect((await prompts()).sort()).toEqual(Array.from({ length: 8 }, (_, i) => `p${i}`));
    expect((await atRest(pool)).calls).toMatchObject({ succeeded: 8, failed: 0, queued: 0 });
  });

  it("rejects with pool_full when queueLimit is reached, before it sends the prompt", async () => {
    const { pool, options, prompts } = await onFake({ concurrency: 1, queueLimit: 1 }, SLOW);
    const calls = ["a", "b", "c"].map((prompt) => pool.complete(prompt, options));
    const [a, b, c] = await Promise.allSettled(calls);
    expect([a?.status, b?.status]).toEqual(["fulfilled", "fulfilled"]);
    expect(c).toMatchObject({ reason: { code: "pool_full", retryable: true } });
    expect(await prompts()).toEqual(["a", "b"]);
  });

  it("serves waiting calls by priority, and tenants in turn", async () => {
    const { pool, options, prompts } = await onFake({ concurrency: 1 }, SLOW);
    const first = pool.complete("first", options);
    await until(pool, ({ calls }) => calls.running === 1);
    const calls = [
      ["x1", { tenant: "x" }],
      ["x2", { tenant: "x" }],
      ["x3", { tenant: "x" }],
      ["y1", { tenant: "y" }],
      ["last", { priority: -1 }],
      ["urgent", { priority: 9, tenant: "x" }],
    ] as const;
    await Promise.all([
      first,
      ...calls.map(([prompt, more]) => pool.complete(prompt, { ...options, ...more })),
    ]);
    expect(await prompts()).toEqual(["first", "urgent", "x1", "y1", "x2", "x3", "last"]);
  });

  it("rejects a waiting call on abort or timeout, and then serves the call behind it", async () => {
    const { pool, options, prompts } = await onFake({ concurrency: 1 }, FIRST_SLOW);
    const first = pool.complete("first", options);
    await until(pool, ({ calls }) => calls.running === 1);
    const controller = new AbortController();
    const { signal } = controller;
    const aborted = pool.complete("aborted", { ...options, signal });
    const late = pool.complete("late", { ...options, timeouts: { totalMs: 40 } });
    const session = pool.openSession({ ...options, signal });
    const last = pool.complete("last", options);
    let waiting = 4;
    late.catch(() => {
      waiting = 3;
    });
    await until(pool, ({ calls }) => calls.queued === waiting);
    controller.abort("changed my mind");
    const [a, l, s] = await Promise.allSettled([aborted, late, session]);
    expect(a).toMatchObject({ reason: { code: "aborted", reason: "changed my mind" } });
    expect(l).toMatchObject({ reason: { code: "timeout", phase: "total" } });
    expect(s).toMatchObject({ reason: { code: "aborted", reason: "changed my mind" } });
    await Promise.all([first, last]);
    expect(await prompts()).toEqual(["first", "last"]);
    expect((await atRest(pool)).calls).toMatchObject({ succeeded: 2, failed: 0, queued: 0 });
  });

  it("drain() waits for a session that still waits in the queue", async () => {
    const { pool, options } = await onFake({ concurrency: 1 }, SLOW);
    const first = pool.complete("first", options);
    await until(pool, ({ calls }) => calls.running === 1);
    const opened = pool.openSession(options);
    const drained = pool.drain();
    await expect(pool.openSession(options)).rejects.toMatchObject({ code: "pool_closed" });
    await expect(pool.complete("x", options)).rejects.toMatchObject({ code: "pool_closed" });
    await first;
    const session = await opened;
    expect(await session.send("x").text()).toBe("ok");
    await session.close();
    await drained;
    expect(pool.stats().processes).toMatchObject({ serving: 0, closing: 0, generic: 0 });
  });

  it("drain() right after openSession() still opens the session", async () => {
    const { pool, options } = await onFake();
    const opened = pool.openSession(options);
    const drained = pool.drain();
    const session = await opened;
    await session.close();
    await drained;
  });

  it("serves calls with two spawn keys in turn, though either could use the whole pool", async () => {
    const { pool, options, prompts } = await onFake({ concurrency: 1 }, SLOW);
    const first = pool.complete("first", options);
    await until(pool, ({ calls }) => calls.running === 1);
    const other = { ...options, env: { OTHER: "1" } };
    const calls = ["a1", "a2", "a3", "b1", "b2", "b3"].map((prompt) =>
      pool.complete(prompt, prompt.startsWith("a") ? options : other),
    );
    await Promise.all([first, ...calls]);
    expect((await prompts()).slice(1).sort()).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"]);
    const waited = await Promise.all(calls);
    const [, a2, , b1] = waited.map(({ timing }) => timing.queuedMs ?? 0);
    expect(b1).toBeLessThan(a2 ?? 0);
  });
});

describe("Pool with two kinds of calls", () => {
  it("gives each kind its share of the processes, and starts few for the calls", async () => {
    const { pool, options } = await onFake({ size: { min: 1, max: 4 } }, QUICK);
    const order: string[] = [];
    const call = async (kind: string) => {
      await pool.complete("x", { ...options, env: { KIND: kind } });
      order.push(kind);
    };
    const calls = Array.from({ length: 120 }, (_, i) => call(i % 2 === 0 ? "a" : "b"));
    await Promise.all(calls);
    const { calls: counted } = pool.stats();
    expect(counted.succeeded).toBe(120);
    // Strict turns would start a process for nearly every call.
    expect(counted.cold).toBeLessThan(30);
    const middle = order.slice(20, 100);
    expect(middle.filter((kind) => kind === "b").length).toBeGreaterThan(16);
    expect(middle.filter((kind) => kind === "a").length).toBeGreaterThan(16);
  });
});

describe("Pool after usage_limit", () => {
  it("holds calls of the account back until resetsAt, and rejects calls whose timeout ends before", async () => {
    const resetsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 4000);
    const { pool, options, prompts } = await onFake(
      { concurrency: 2 },
      { steps: [{ on: "user", process: 1, do: refusedTurn(429, { resetsAt }) }] },
    );
    const told = pool.complete("told", options);
    await expect(told).rejects.toMatchObject({ code: "usage_limit", resetsAt });
    const short = pool.complete("short", { ...options, timeouts: { totalMs: 500 } });
    await expect(short).rejects.toMatchObject({
      code: "usage_limit",
      resetsAt,
      hint: expect.stringContaining("No call was made."),
    });
    await expect(pool.openSession(options)).rejects.toMatchObject({ code: "usage_limit" });
    const seen = ({ timing: { queuedMs = 0 } }: Completion<unknown>) => ({
      queuedMs,
      at: Date.now(),
    });
    const elsewhere = { ...options, apiKey: "sk-ant-api03-another", env: { HOME: "/tmp" } };
    const [waited, other] = await Promise.all([
      pool.complete("waits", options).then(seen),
      pool.complete("other", elsewhere).then(seen),
    ]);
    expect(waited.at).toBeGreaterThanOrEqual(resetsAt.getTime());
    expect(other.queuedMs).toBeLessThan(waited.queuedMs);
    expect((await prompts()).sort()).toEqual(["other", "told", "waits"]);
  });

  it("holds the next call back after the limit of a real CLI, but not a call without the pool", async () => {
    const resetsAt = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    const { model, options } = await world(NEWEST_CLI, [usageLimit({ resetsAt })], {
      oauthToken: "sk-ant-oat01-fake",
    });
    await using pool = createPool({ size: { min: 0 } });
    const call = { ...options, retry: { cliRetries: 0 } };
    for (const _ of [1, 2]) {
      await expect(pool.complete("x", call)).rejects.toMatchObject({
        code: "usage_limit",
        resetsAt,
      });
    }
    expect(model.calls.length).toBe(1);
    model.add("Hello.");
    expect((await complete("x", call)).text).toBe("Hello.");
  });
});

describe("Pool after overloaded", () => {
  it("halves the limit of calls, pauses, and raises the limit again as calls succeed", async () => {
    const { pool, options, prompts } = await onFake(
      { concurrency: 4, size: { max: 4 } },
      {
        steps: [
          { on: "user", process: 1, do: refusedTurn(529) },
          { on: "user", times: "always", do: slowTurn(20) },
        ],
      },
    );
    await expect(pool.complete("refused", options)).rejects.toMatchObject({ code: "overloaded" });
    expect(pool.stats().calls.limit).toBe(2);
    const calls = Array.from({ length: 10 }, (_, i) => pool.complete(`${i}`, options));
    await until(pool, ({ calls: { queued } }) => queued === 10);
    expect(await prompts()).toEqual(["refused"]);
    const timings = (await Promise.all(calls)).map(({ timing }) => timing.queuedMs ?? 0);
    expect(Math.min(...timings)).toBeGreaterThan(400);
    expect(pool.stats().calls.limit).toBe(4);
  });

  it("halves the limit and pauses after a 529 that a real CLI reports", async () => {
    const { model, options } = await world(NEWEST_CLI, [apiError(529), "Hello."]);
    await using pool = createPool({ concurrency: 2, size: { min: 0 } });
    const call = { ...options, retry: { cliRetries: 0 } };
    await expect(pool.complete("x", call)).rejects.toMatchObject({ code: "overloaded" });
    expect(pool.stats().calls.limit).toBe(1);
    expect((await pool.complete("x", call)).timing.queuedMs).toBeGreaterThan(400);
    expect(model.calls.length).toBe(2);
  });
});
