import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBudget, waitForBudget } from "../../src/accounting/budget.js";
import { readUsage } from "../../src/accounting/read-usage.js";
import { claimAlone } from "../../src/runs/claim-run.js";
import type { Claim, SegmentEnd, SegmentUsage } from "../../src/runs/claims.js";
import type { SubmitOptions } from "../../src/runs/run.js";
import {
  createRunWorld,
  doneWith,
  failedWith,
  type RunProgram,
  type RunWorld,
  silence,
} from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** A tenant with a queue of its own. */
function newTenant() {
  const tenant = `tenant-${randomUUID()}`;
  const queue = `queue-${randomUUID()}`;
  const submit = (options: SubmitOptions = {}) => program.submit({ tenant, queue, ...options });
  const tryClaim = () => program.claims.claim({ host: "a", queues: [queue] });
  const claim = async () => {
    const claim = await tryClaim();
    if (claim === undefined) throw new Error("nothing was claimed");
    return claim;
  };
  const usage = (day?: Date) => readUsage(program.parts, tenant, day);
  const spend = async (costUsd: number) => {
    await submit();
    await program.claims.settle(await claim(), doneWith("spent", costUsd));
  };
  return { tenant, queue, submit, tryClaim, claim, usage, spend };
}

const metered = (tokens: number, model = "model-x") => ({
  model,
  inputTokens: tokens,
  outputTokens: tokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  requests: 1,
});
/** What is metered before the CLI is asked. */
const ASKED = { ...metered(0), model: undefined, requests: 0 };
const unknownCost = (usage: SegmentUsage | undefined): SegmentEnd => ({
  ...doneWith("done", undefined),
  costUsd: undefined,
  usage,
});
const chargeOf = async (claim: Claim) => {
  const [charge] = await program.rows<{ cost_usd: string; estimated: boolean }>(
    "select cost_usd, estimated from hawser.charge where run_id = $1 and segment = $2",
    [claim.run.id, claim.segment],
  );
  return charge && { costUsd: Number(charge.cost_usd), estimated: charge.estimated };
};

describe("the ledger", () => {
  it("adds up exactly, where floating point numbers would not", async () => {
    const { spend, usage } = newTenant();
    for (let index = 0; index < 10; index++) await spend(0.1);
    expect(await usage()).toMatchObject({ costUsd: 1, estimatedUsd: 0, reservedUsd: 0, runs: 10 });
    expect(await usage()).toMatchObject({ inputTokens: 1_000, outputTokens: 200 });
    expect(await usage(new Date("2020-02-02T23:59:59Z"))).toMatchObject({
      day: "2020-02-02",
      costUsd: 0,
      runs: 0,
    });
  });

  it("equals the sum of the charges for every tenant", async () => {
    const { spend } = newTenant();
    await spend(0.123456789);
    const rows = await program.rows(
      `select tenant from hawser.spend group by tenant having sum(cost_usd) <>
         (select sum(cost_usd) from hawser.charge where charge.tenant = spend.tenant)`,
    );
    expect(rows).toEqual([]);
  });

  it("estimates a segment by its tokens, at the price that its model had before", async () => {
    const { submit, claim, usage } = newTenant();
    const model = `model-${randomUUID()}`;
    await submit();
    await program.claims.settle(await claim(), {
      ...doneWith("known", 0.6),
      usage: metered(100, model),
    });
    await submit();
    const cut = await claim();
    await program.claims.meter(cut, metered(25, model));
    await program.claims.meter(cut, metered(50, model));
    await silence(program, cut);
    const next = await claim();
    expect(await chargeOf(cut)).toEqual({ costUsd: 0.3, estimated: true });
    await program.claims.settle(next, doneWith("done", 0.1));
    expect(await usage()).toMatchObject({ costUsd: 1, estimatedUsd: 0.3 });
  });

  it("takes the dearest segment of the tenant if the price is not known", async () => {
    const { submit, claim, spend } = newTenant();
    await spend(0.2);
    await spend(0.7);
    await spend(0.1);
    await submit();
    const cut = await claim();
    await program.claims.settle(cut, unknownCost(metered(10, `model-${randomUUID()}`)));
    expect(await chargeOf(cut)).toEqual({ costUsd: 0.7, estimated: true });
  });

  it("takes the reservation if the tenant has no segment, and else 0", async () => {
    const first = newTenant();
    await first.submit({ budgetUsd: 0.5 });
    const reserved = await first.claim();
    await program.claims.settle(reserved, unknownCost(ASKED));
    expect(await chargeOf(reserved)).toEqual({ costUsd: 0.5, estimated: true });
    const second = newTenant();
    await second.submit();
    const unknown = await second.claim();
    await program.claims.settle(unknown, unknownCost(ASKED));
    expect(await chargeOf(unknown)).toEqual({ costUsd: 0, estimated: true });
  });

  it("estimates 0 for a segment whose host died before the CLI was asked, so that a run with a budget goes on", async () => {
    const { submit, claim, spend, usage } = newTenant();
    await spend(2);
    const run = await submit({ budgetUsd: 0.5 });
    const cut = await claim();
    await silence(program, cut);
    const next = await claim();
    expect(next).toMatchObject({ segment: 2, budgetUsd: 0.5 });
    expect(await chargeOf(cut)).toEqual({ costUsd: 0, estimated: true });
    await program.claims.settle(next, doneWith("done", 0.1));
    expect(await run.result()).toMatchObject({ costUsd: 0.1, costEstimated: true });
    expect(await usage()).toMatchObject({ costUsd: 2.1, estimatedUsd: 0 });
  });

  it("estimates one request if the CLI was asked and no answer was seen", async () => {
    const { submit, claim } = newTenant();
    await submit();
    await program.claims.settle(await claim(), {
      ...doneWith("four requests", 2),
      usage: { ...metered(10, `model-${randomUUID()}`), requests: 4 },
    });
    await submit({ budgetUsd: 3 });
    const cut = await claim();
    await program.claims.meter(cut, ASKED);
    await silence(program, cut);
    expect((await claim()).budgetUsd).toBe(2.5);
    expect(await chargeOf(cut)).toEqual({ costUsd: 0.5, estimated: true });
  });

  it("does not take an estimate of 0 for the price of a request", async () => {
    const { submit, claim } = newTenant();
    await submit({ budgetUsd: 1 });
    await silence(program, await claim());
    const asked = await claim();
    await program.claims.meter(asked, ASKED);
    await silence(program, asked);
    await expect(claim()).rejects.toThrow("nothing was claimed");
    expect(await chargeOf(asked)).toEqual({ costUsd: 1, estimated: true });
  });

  it("estimates no more than a run with a budget was allowed to spend", async () => {
    const { submit, claim, spend } = newTenant();
    await spend(2);
    for (const usage of [
      ASKED,
      metered(10, `model-${randomUUID()}`),
      metered(1e6, "claude-test"),
    ]) {
      await submit({ budgetUsd: 0.5 });
      const cut = await claim();
      await program.claims.settle(cut, unknownCost(usage));
      expect(await chargeOf(cut)).toEqual({ costUsd: 0.5, estimated: true });
    }
  });

  it("settles a run whose counts are no whole numbers, and whose cost is no amount", async () => {
    const { submit, claim, usage } = newTenant();
    const run = await submit();
    const tokens = { ...metered(1.5), cacheReadTokens: Number.NaN, cacheWriteTokens: 1e300 };
    await program.claims.settle(await claim(), {
      ...doneWith("done", Number.NaN),
      usage: { ...tokens, requests: -1 },
    });
    expect(await run.result()).toMatchObject({ text: "done", costEstimated: true });
    expect((await usage()).costUsd).not.toBeNaN();
  });

  it("counts a run that is retried once, on the day on which it is settled last", async () => {
    const { tenant, submit, claim, usage } = newTenant();
    const run = await submit();
    await program.claims.settle(await claim(), failedWith());
    expect((await usage()).runs).toBe(1);
    // It failed yesterday.
    await program.rows(
      "update hawser.run set ended_at = ended_at - interval '1 day' where id = $1",
      [run.id],
    );
    await program.rows("update hawser.spend set day = day - 1 where tenant = $1", [tenant]);
    const yesterday = new Date(Date.now() - 86_400_000);
    expect((await usage(yesterday)).runs).toBe(1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => run.retry()));
    expect(answers.filter((answer) => answer)).toHaveLength(1);
    expect([(await usage(yesterday)).runs, (await usage()).runs]).toEqual([0, 0]);
    await program.claims.settle(await claim(), failedWith());
    await run.retry();
    await program.claims.settle(await claim(), doneWith("at last", 0.02));
    expect([(await usage(yesterday)).runs, (await usage()).runs]).toEqual([0, 1]);
    expect(await usage(yesterday)).toMatchObject({ costUsd: 0.01 });
    expect(await usage()).toMatchObject({ costUsd: 0.03 });
  });

  it("does not count a run that is retried and never began", async () => {
    const { tenant, submit, claim, usage, tryClaim } = newTenant();
    const [first, late] = [await submit(), await submit()];
    await program.claims.settle(await claim(), doneWith("first", 0.5));
    await program.tenants.set(tenant, { budgetUsd: { day: 0.5 } });
    expect(await tryClaim()).toBeUndefined();
    await expect(late.result()).rejects.toMatchObject({ code: "budget_refused" });
    expect((await usage()).runs).toBe(1);
    await program.tenants.set(tenant, { budgetUsd: { day: null } });
    await late.retry();
    expect((await usage()).runs).toBe(1);
    await program.claims.settle(await claim(), doneWith("late", 0.1));
    expect((await usage()).runs).toBe(2);
    expect((await first.info()).state).toBe("done");
  });

  it("marks an outcome with an estimated part", async () => {
    const { submit, claim } = newTenant();
    const run = await submit();
    await program.claims.settle(await claim(), unknownCost(undefined));
    expect((await run.result()).costEstimated).toBe(true);
  });
});

describe("reservations", () => {
  it("take the run's budget, and are given back with the segment", async () => {
    const { submit, claim, usage } = newTenant();
    await submit({ budgetUsd: 2 });
    const held = await claim();
    expect(held.budgetUsd).toBe(2);
    expect((await usage()).reservedUsd).toBe(2);
    await program.claims.settle(held, doneWith("done", 0.5));
    expect(await usage()).toMatchObject({ reservedUsd: 0, costUsd: 0.5 });
  });

  it("take the mean of the last segments if only the tenant has a budget", async () => {
    const { tenant, submit, claim, spend, usage } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 10 } });
    await spend(0.2);
    await spend(0.4);
    await submit();
    await claim();
    expect((await usage()).reservedUsd).toBe(0.3);
  });

  it("leave the next segments of a run what the earlier ones have not spent", async () => {
    const { submit, claim } = newTenant();
    const run = await submit({ budgetUsd: 1 });
    const returned = { type: "returned", usage: undefined, workedMs: 1, reason: "drain" } as const;
    await program.claims.settle(await claim(), { ...returned, costUsd: 0.75 });
    const second = await claim();
    expect(second.budgetUsd).toBe(0.25);
    await program.claims.settle(second, { ...returned, costUsd: 0.25 });
    await expect(claim()).rejects.toThrow("nothing was claimed");
    await expect(run.result()).rejects.toMatchObject({ code: "max_budget" });
  });
});

describe("a tenant's budget", () => {
  const day = () => new Date().toISOString().slice(0, 10);

  it.each(["day", "month", "total"] as const)(
    "of the %s is refused when it is spent",
    async (period) => {
      const { tenant, submit, spend, tryClaim } = newTenant();
      await program.tenants.set(tenant, { budgetUsd: { [period]: 0.5 } });
      const early = await submit();
      const later = await submit();
      const claim = await tryClaim();
      expect(claim?.run.id).toBe(early.id);
      expect(claim?.budgetUsd).toBe(0.5);
      if (claim !== undefined) await program.claims.settle(claim, doneWith("dear", 0.5));
      await expect(submit()).rejects.toMatchObject({ code: "budget_refused" });
      // The one that was accepted before is refused at its claim.
      expect(await tryClaim()).toBeUndefined();
      await expect(later.result()).rejects.toMatchObject({ code: "budget_refused" });
      await program.tenants.set(tenant, { budgetUsd: { [period]: null } });
      await spend(0.1);
    },
  );

  it("of the day does not count what was spent yesterday, that of the month does", async () => {
    const { tenant, submit } = newTenant();
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const isSameMonth = yesterday.slice(0, 7) === day().slice(0, 7);
    await program.rows("insert into hawser.spend (tenant, day, cost_usd) values ($1, $2, 5)", [
      tenant,
      yesterday,
    ]);
    await program.tenants.set(tenant, { budgetUsd: { day: 1 } });
    await submit();
    await program.tenants.set(tenant, { budgetUsd: { day: null, month: 5 } });
    if (isSameMonth) await expect(submit()).rejects.toMatchObject({ code: "budget_refused" });
    else await submit();
    await program.tenants.set(tenant, { budgetUsd: { month: null, total: 5 } });
    await expect(submit()).rejects.toMatchObject({ code: "budget_refused" });
  });

  it("makes runs wait with onBudget wait, until the budget is raised", async () => {
    const { tenant, submit, spend, tryClaim } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 0.5 }, onBudget: "wait" });
    await spend(0.5);
    const run = await submit();
    expect(await tryClaim()).toBeUndefined();
    expect((await run.info()).state).toBe("queued");
    const [row] = await program.rows<{ ends: boolean }>(
      `select waits_until = (date_trunc('day', now() at time zone 'utc') + interval '1 day') at time zone 'utc' as ends
       from hawser.tenant where name = $1`,
      [tenant],
    );
    expect(row?.ends).toBe(true);
    await program.tenants.set(tenant, { budgetUsd: { day: 1 } });
    expect((await tryClaim())?.run.id).toBe(run.id);
  });

  it("goes on when the day that was waited for is over", async () => {
    const { tenant, submit, spend, tryClaim } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 0.5 }, onBudget: "wait" });
    await spend(0.5);
    await submit();
    expect(await tryClaim()).toBeUndefined();
    // Midnight: what was spent is of yesterday, and the time that was waited for is over.
    await program.rows("update hawser.spend set day = day - 1 where tenant = $1", [tenant]);
    await program.rows("update hawser.tenant set waits_until = clock_timestamp() where name = $1", [
      tenant,
    ]);
    expect(await tryClaim()).toBeDefined();
  });

  it("is not passed by what runs at the same time, because it is reserved", async () => {
    const { tenant, submit, claim, tryClaim } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 1 } });
    for (let index = 0; index < 5; index++) await submit({ budgetUsd: 0.4 });
    const claims = [await claim(), await claim(), await claim()];
    // The third gets what is left, and nothing is left for a fourth: it waits, and is not refused.
    expect(claims.map(({ budgetUsd }) => budgetUsd)).toEqual([0.4, 0.4, expect.closeTo(0.2)]);
    expect(await tryClaim()).toBeUndefined();
    if (claims[0] !== undefined) await program.claims.settle(claims[0], doneWith("cheap", 0.1));
    expect((await claim()).budgetUsd).toBeCloseTo(0.3);
  });

  it("lets runs without a budget that begin together each spend what is left, as the guide says", async () => {
    const { tenant, submit, claim, tryClaim, usage } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 1 }, concurrency: 3 });
    for (let index = 0; index < 4; index++) await submit();
    const claims = [await claim(), await claim(), await claim()];
    // There is no earlier charge, so nothing is reserved. Only `concurrency` limits how many begin.
    expect(claims.map(({ budgetUsd }) => budgetUsd)).toEqual([1, 1, 1]);
    expect(await tryClaim()).toBeUndefined();
    for (const each of claims) await program.claims.settle(each, doneWith("dear", 1));
    expect((await usage()).costUsd).toBe(3);
    await expect(submit()).rejects.toMatchObject({ code: "budget_refused" });
  });

  it("leaves a segment the limit that it began with when it is lowered", async () => {
    const { tenant, submit, claim, tryClaim, usage } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { day: 5 } });
    await submit({ budgetUsd: 2 });
    const working = await claim();
    await program.tenants.set(tenant, { budgetUsd: { day: 1 } });
    await submit({ budgetUsd: 0.1 });
    expect(await tryClaim()).toBeUndefined();
    await program.claims.settle(working, doneWith("dear", 2));
    expect((await usage()).costUsd).toBe(2);
  });

  it("does not wait for ever if money is given back while a claim begins to wait for it", async () => {
    const { tenant, submit, claim, tryClaim } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { total: 1 } });
    await submit({ budgetUsd: 1 });
    const all = await claim();
    const next = await submit({ budgetUsd: 1 });
    const { schema } = program.database;
    await claimAlone(program.parts, async (db) => {
      const budget = await readBudget(db, schema, tenant);
      expect(budget).toMatchObject({ leftUsd: 0, spent: undefined });
      await program.claims.settle(all, doneWith("cheap", 0.1));
      await waitForBudget(db, schema, tenant, budget);
    });
    await expect
      .poll(async () => (await tryClaim())?.run.id, { timeout: 20_000, interval: 100 })
      .toBe(next.id);
  });

  it("does not let the reservation of a dead host block the tenant for ever", async () => {
    const { tenant, submit, claim } = newTenant();
    await program.tenants.set(tenant, { budgetUsd: { total: 1 } });
    await submit({ budgetUsd: 1 });
    const cut = await claim();
    await program.claims.meter(cut, metered(1));
    await program.rows(
      `insert into hawser.charge (run_id, segment, tenant, account, model, cost_usd, estimated, input_tokens, output_tokens)
       values (gen_random_uuid(), 1, 'someone', 'default', 'model-x', 0.6, false, 10, 10)`,
    );
    await silence(program, cut);
    expect(await claim()).toMatchObject({ how: "recovered", budgetUsd: expect.closeTo(0.94) });
  });

  it("checks the limits that it is given", async () => {
    const { tenant } = newTenant();
    const bad: [object, string][] = [
      [{ concurrency: 0 }, "concurrency"],
      [{ concurrency: 1.5 }, "concurrency"],
      [{ weight: 0 }, "weight"],
      [{ weight: Number.NaN }, "weight"],
      [{ budgetUsd: { week: 1 } }, "budgetUsd.week"],
      [{ budgetUsd: { day: -1 } }, "budgetUsd.day"],
      [{ onBudget: "stop" }, "onBudget"],
      [{ account: "" }, "account"],
    ];
    for (const [limits, path] of bad) {
      await expect(program.tenants.set(tenant, limits)).rejects.toMatchObject({
        code: "invalid_options",
        issues: [{ path }],
      });
    }
  });

  it("reads the limits back, and keeps those that are not named", async () => {
    const { tenant } = newTenant();
    expect(await program.tenants.get(tenant)).toEqual({
      account: "default",
      concurrency: null,
      weight: 1,
      budgetUsd: { day: null, month: null, total: null },
      onBudget: "refuse",
      paused: false,
    });
    await program.tenants.set(tenant, { concurrency: 3, weight: 2.5, budgetUsd: { day: 1.5 } });
    await program.tenants.set(tenant, { paused: true, account: "team" });
    expect(await program.tenants.get(tenant)).toEqual({
      account: "team",
      concurrency: 3,
      weight: 2.5,
      budgetUsd: { day: 1.5, month: null, total: null },
      onBudget: "refuse",
      paused: true,
    });
  });
});
