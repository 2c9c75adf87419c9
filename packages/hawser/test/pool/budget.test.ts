import { describe, expect, it } from "vitest";
import { createPool } from "../../src/pool/index.js";
import { reply } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { world } from "../support/world.js";
import { atRest, onFake, paidTurn } from "./on-fake.helper.js";

const paid = (usd: number, ms = 0) =>
  ({ steps: [{ on: "user", times: "always", do: paidTurn(usd, ms) }] }) as const;

const REFUSED = { status: "rejected", reason: { code: "budget_refused", retryable: false } };

describe("Pool with budgetUsd", () => {
  it("overshoots by one call at most, and then rejects with budget_refused before it starts a process", async () => {
    const { pool, options, prompts } = await onFake(
      { concurrency: 4, size: { max: 4 }, budgetUsd: 3.5 },
      paid(1, 30),
    );
    const calls = Array.from({ length: 12 }, (_, i) => pool.complete(`${i}`, options));
    const outcomes = await Promise.allSettled(calls);
    const answered = outcomes.filter(({ status }) => status === "fulfilled");
    expect(answered.length).toBe(4);
    expect(outcomes.filter(({ status }) => status === "rejected")[0]).toMatchObject({
      ...REFUSED,
      reason: {
        message: "The pool has spent $4 of its budget of $3.5.",
        hint: "Raise `budgetUsd`.",
      },
    });
    expect((await prompts()).length).toBe(4);
    expect((await atRest(pool)).spentUsd).toBe(4);
    const started = pool.stats().processes.started;
    await expect(pool.complete("x", options)).rejects.toMatchObject({ code: "budget_refused" });
    await expect(pool.openSession(options)).rejects.toMatchObject({ code: "budget_refused" });
    expect(pool.stats().processes.started).toBe(started);
  });

  it("counts the budget of each tenant separately", async () => {
    const { pool, options } = await onFake(
      { budgetUsd: { total: 100, perTenant: 2, tenants: { big: 3, none: 0 } } },
      paid(1),
    );
    const outcomeOf = (tenant?: string) =>
      pool.complete("x", { ...options, tenant }).then(
        () => "ok",
        (error) => `${error.code}: ${error.hint}`,
      );
    const outcomes: Record<string, string[]> = {};
    for (const tenant of ["a", "big", "none", undefined]) {
      const own: string[] = [];
      for (let n = 0; n < 4; n += 1) own.push(await outcomeOf(tenant));
      outcomes[String(tenant)] = own;
    }
    const refused = (path: string) => `budget_refused: Raise \`budgetUsd.${path}\`.`;
    const of = (path: string, times: number) => Array(times).fill(refused(path));
    expect(outcomes).toEqual({
      a: ["ok", "ok", ...of("perTenant", 2)],
      big: ["ok", "ok", "ok", ...of('tenants["big"]', 1)],
      none: of('tenants["none"]', 4),
      undefined: ["ok", "ok", "ok", "ok"],
    });
    expect(pool.stats()).toMatchObject({ spentUsd: 9, spentUsdByTenant: { a: 2, big: 3 } });
  });

  it("counts the cost of each turn of a session", async () => {
    const turns = [0.4, 0.9, 1].map(
      (usd) => ({ on: "user", process: 1, do: paidTurn(usd) }) as const,
    );
    const { pool, options } = await onFake({ budgetUsd: 1 }, { steps: turns });
    await using session = await pool.openSession({ ...options, tenant: "t" });
    expect((await pool.complete("for nothing", options)).costUsd).toBe(0);
    await session.send("a").result;
    expect(pool.stats().spentUsd).toBeCloseTo(0.4);
    await session.send("b").result;
    await session.send("c").result;
    expect(pool.stats()).toMatchObject({ spentUsd: 1, spentUsdByTenant: { t: 1 } });
    await expect(pool.complete("x", options)).rejects.toMatchObject({ code: "budget_refused" });
    // An open session may go on.
    expect(await session.send("d").text()).toBe("ok");
  });

  it("counts a call of unknown cost as the most expensive known call", async () => {
    const { pool, options, prompts } = await onFake(
      { budgetUsd: 1, isolation: "process", concurrency: 1 },
      {
        steps: [
          { on: "user", process: 1, do: paidTurn(0.5) },
          { on: "user", times: "always", do: [{ init: {} }, { assistant: "Half" }, { exit: 3 }] },
        ],
      },
    );
    await pool.complete("known", options);
    await atRest(pool);
    const lost = pool.complete("lost", options);
    await expect(lost).rejects.toMatchObject({ code: "process_exited", partialText: "Half" });
    expect(pool.stats().spentUsd).toBe(1);
    await expect(pool.complete("x", options)).rejects.toMatchObject({ code: "budget_refused" });
    expect(await prompts()).toEqual(["known", "lost"]);
  });
});

describe.each(clisInTurn())("Pool with budgetUsd on the real CLI $name", ({ path }) => {
  it("reports the cost of each call of a recycled process, and stops at the budget", async () => {
    const usage = (n: number) => ({ input_tokens: 1000 * n, output_tokens: 100 * n });
    const replies = [1, 2, 3].map((n) => reply(`Answer ${n}.`, { usage: usage(n), delayMs: 60 }));
    const { model, options } = await world(path, replies);
    const call = { ...options, model: "claude-sonnet-4-5", tenant: "t" };
    // In and out are 3 and 15 dollars a million: 0.0045 each time, twice, three times.
    await using pool = createPool({ size: { max: 1 }, budgetUsd: { perTenant: 0.02 } });
    for (const n of [1, 2, 3]) {
      const done = await pool.complete(`Prompt ${n}.`, call);
      expect(done.costUsd).toBeCloseTo(0.0045 * n, 9);
      expect(done.usage).toMatchObject(usage(n));
      const models = Object.values(done.modelUsage ?? {});
      expect(models).toHaveLength(1);
      expect(models[0]).toMatchObject({ inputTokens: 1000 * n, outputTokens: 100 * n });
      expect(models[0]?.costUSD).toBeCloseTo(0.0045 * n, 9);
      const { apiMs = 0, queuedMs = -1, bootMs = -1, runMs = -1, totalMs } = done.timing;
      expect(apiMs).toBeGreaterThanOrEqual(55);
      expect(apiMs).toBeLessThanOrEqual(runMs);
      expect(queuedMs).toBeGreaterThanOrEqual(0);
      expect(queuedMs + bootMs + runMs).toBeLessThanOrEqual(totalMs + 1);
      // The rest is the search for the CLI, which takes long only the first time.
      if (n > 1) expect(totalMs - (queuedMs + bootMs + runMs)).toBeLessThan(500);
      await atRest(pool);
    }
    await expect(pool.complete("x", call)).rejects.toMatchObject({ code: "budget_refused" });
    expect(model.calls.length).toBe(3);
    const { calls, processes, spentUsd } = pool.stats();
    expect(calls.by).toMatchObject({ cold: 1, recycled: 2 });
    expect(processes).toMatchObject({ started: 1, recycled: 1 });
    expect(processes.rssMb).toBeGreaterThan(50);
    expect(spentUsd).toBeCloseTo(0.027, 9);
  });
});
