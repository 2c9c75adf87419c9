import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fc } from "../../../hawser/test/support/fc.js";
import { firstRank, type PriorityLevel, rankOf } from "../../src/accounting/fair-order.js";
import type { Queryable } from "../../src/database/database.js";
import { claimAlone, claimRun } from "../../src/runs/claim-run.js";
import type { Claim } from "../../src/runs/claims.js";
import { pruneRuns } from "../../src/runs/prune-runs.js";
import { jain } from "../support/jain.js";
import { repetitions } from "../support/repetitions.js";
import { createRunWorld, doneWith, type RunProgram, type RunWorld } from "../support/run-world.js";

let world: RunWorld;
let program: RunProgram;
beforeAll(async () => {
  world = await createRunWorld();
  program = await world.open();
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const LEVELS: readonly PriorityLevel[] = [-1, 0, 1];
const PRIORITIES = ["low", "normal", "high"] as const;
const level = fc.constantFrom(...LEVELS);
const tag = fc.oneof(fc.integer({ min: 0, max: 2 ** 31 }), fc.maxSafeNat());

describe("rankOf()", () => {
  it("fits the engine's integer for every tag and base", () => {
    fc.assert(
      fc.property(level, tag, tag, (priority, of, base) => {
        for (const rank of [rankOf(priority, of, base), firstRank(priority)]) {
          expect(Number.isInteger(rank) && rank >= -(2 ** 31) && rank < 2 ** 31).toBe(true);
        }
      }),
    );
  });

  it("puts levels before tags, answered runs before tags, and lesser tags before greater ones", () => {
    fc.assert(
      fc.property(tag, tag, tag, (one, two, base) => {
        const [low, normal, high] = LEVELS.map((priority) => rankOf(priority, one, base));
        expect(low).toBeLessThan(rankOf(0, two, base));
        expect(normal).toBeLessThan(rankOf(1, two, base));
        expect(firstRank(0)).toBeGreaterThan(normal ?? 0);
        expect(firstRank(0)).toBeLessThan(high ?? 0);
        if (one < two) expect(rankOf(0, one, base)).toBeGreaterThanOrEqual(rankOf(0, two, base));
        if (one < two && base <= one && two - base < 1_000_000_000) {
          expect(rankOf(0, one, base)).toBeGreaterThan(rankOf(0, two, base));
        }
      }),
    );
  });
});

/** Tenants with a queue of their own. */
function newQueue(count: number) {
  const queue = `queue-${randomUUID()}`;
  const tenants = Array.from({ length: count }, (_, index) => `tenant-${index}-${randomUUID()}`);
  const submit = (tenant: number, priority: (typeof PRIORITIES)[number] = "normal") =>
    program.submit({ queue, tenant: tenants[tenant] ?? "", priority });
  const claim = () => program.claims.claim({ host: "a", queues: [queue] });
  const serve = async (): Promise<number | undefined> => {
    const claimed = await claim();
    if (claimed === undefined) return undefined;
    await program.claims.settle(claimed, doneWith("served"));
    return tenants.indexOf(claimed.run.tenant);
  };
  return { queue, tenants, submit, claim, serve };
}

const countOf = (served: readonly (number | undefined)[], tenant: number) =>
  served.filter((each) => each === tenant).length;

describe("the fair order", () => {
  it("has a Jain index of at least 0.9 for equal demand, whoever came first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 5 }).chain((count) =>
          fc.record({
            count: fc.constant(count),
            arrivals: fc.shuffledSubarray(
              Array.from({ length: count * 4 }, (_, index) => index % count),
              { minLength: count * 4 },
            ),
          }),
        ),
        async ({ count, arrivals }) => {
          const { submit, serve } = newQueue(count);
          for (const tenant of arrivals) await submit(tenant);
          const served: (number | undefined)[] = [];
          for (let index = 0; index < count * 2; index++) served.push(await serve());
          const shares = Array.from({ length: count }, (_, tenant) => countOf(served, tenant));
          expect(jain(shares)).toBeGreaterThanOrEqual(0.9);
        },
      ),
      { numRuns: repetitions(25) },
    );
  });

  it("serves a lone run of a new tenant within one round", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 12 }),
        async (others, each, servedBefore) => {
          const { submit, serve } = newQueue(others + 1);
          for (let index = 0; index < others * each; index++) await submit(index % others);
          for (let index = 0; index < Math.min(servedBefore, others * each); index++) await serve();
          await submit(others);
          const served: (number | undefined)[] = [];
          while (served.at(-1) !== others) served.push(await serve());
          expect(served.length).toBeLessThanOrEqual(others + 1);
        },
      ),
      { numRuns: repetitions(25) },
    );
  });

  it("serves tenants in proportion to their weights", async () => {
    const { tenants, submit, serve } = newQueue(3);
    const weights = [1, 2, 4];
    for (const [index, weight] of weights.entries()) {
      await program.tenants.set(tenants[index] ?? "", { weight });
    }
    for (let index = 0; index < 60; index++) await submit(index % 3);
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 28; index++) served.push(await serve());
    const shares = weights.map((weight, tenant) => countOf(served, tenant) / weight);
    expect(jain(shares)).toBeGreaterThanOrEqual(0.98);
  });

  it("gives a tenant that was away no credit", async () => {
    const { submit, serve } = newQueue(2);
    await submit(0);
    await serve();
    for (let index = 0; index < 12; index++) await submit(1);
    for (let index = 0; index < 6; index++) await serve();
    for (let index = 0; index < 6; index++) await submit(0);
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 8; index++) served.push(await serve());
    expect(countOf(served, 1)).toBeGreaterThanOrEqual(3);
  });

  it("gives a tenant that was paused no credit for that time, and serves its runs in their order", async () => {
    const { tenants, submit, serve } = newQueue(2);
    const submitted = [];
    for (let index = 0; index < 20; index++) submitted.push(await submit(0));
    await program.tenants.set(tenants[0] ?? "", { paused: true });
    for (let index = 0; index < 40; index++) await submit(1);
    for (let index = 0; index < 30; index++) expect(await serve()).toBe(1);
    await program.tenants.set(tenants[0] ?? "", { paused: false });
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 12; index++) served.push(await serve());
    expect(countOf(served, 1)).toBeGreaterThanOrEqual(5);
    const order = [];
    for (const run of submitted) {
      const { startedAt } = await run.info();
      order.push(startedAt?.getTime() ?? Number.POSITIVE_INFINITY);
    }
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  it("puts all runs of a tenant that was paused back in a few statements, because all claims wait for them", async () => {
    const { queue, tenants, submit, serve } = newQueue(2);
    for (let index = 0; index < 60; index++) await submit(0);
    await program.tenants.set(tenants[0] ?? "", { paused: true });
    for (let index = 0; index < 61; index++) await submit(1);
    for (let index = 0; index < 60; index++) await serve();
    await program.tenants.set(tenants[0] ?? "", { paused: false });
    let statements = 0;
    const attempt = await claimAlone(program.parts, (db) => {
      const counted: Queryable = {
        query: (text, values) => {
          statements += 1;
          return db.query(text, values);
        },
      };
      return claimRun(program.parts, counted, { host: "a", queue });
    });
    expect(attempt.type).toBe("claimed");
    expect(statements).toBeLessThan(40);
  });

  it("gives a tenant that was paused no credit after prune()", async () => {
    const { tenants, submit, serve } = newQueue(2);
    for (let index = 0; index < 10; index++) await submit(0);
    await program.tenants.set(tenants[0] ?? "", { paused: true });
    for (let index = 0; index < 24; index++) await submit(1);
    for (let index = 0; index < 14; index++) await serve();
    await pruneRuns(program.parts, { olderThan: new Date(0) });
    await program.tenants.set(tenants[0] ?? "", { paused: false });
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 8; index++) served.push(await serve());
    expect(countOf(served, 1)).toBeGreaterThanOrEqual(3);
  });

  it("does not let runs that begin later delay those of the same tenant that are due", async () => {
    const { queue, tenants, submit, serve } = newQueue(2);
    const startAfter = new Date(Date.now() + 3_600_000);
    const later = { queue, tenant: tenants[0] ?? "", startAfter };
    for (let index = 0; index < 30; index++) await program.submit(later);
    for (let index = 0; index < 10; index++) await submit(1);
    await submit(0);
    expect([await serve(), await serve()]).toContain(0);
    // They take turns as well when they are due.
    await program.rows("update hawser.run set start_after = null where queue = $1", [queue]);
    await program.rows("update hawser_boss.job set start_after = now() where name = $1", [queue]);
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 8; index++) served.push(await serve());
    expect(countOf(served, 1)).toBeGreaterThanOrEqual(3);
  });

  it("does not wait for a caller's transaction when it puts a run back to the clock", async () => {
    const { queue, tenants, submit, serve } = newQueue(2);
    await submit(0);
    await program.tenants.set(tenants[0] ?? "", { paused: true });
    for (let index = 0; index < 13; index++) await submit(1);
    for (let index = 0; index < 12; index++) await serve();
    await program.tenants.set(tenants[0] ?? "", { paused: false });
    const other = await world.open();
    await other.database.transaction(async (db) => {
      await program.submit({ queue, tenant: tenants[0] ?? "", db });
      expect(new Set([await serve(), await serve()])).toEqual(new Set([0, 1]));
    });
  });

  it("does not let a tenant's backlog of one priority or queue delay its runs of another", async () => {
    const { tenants, submit, serve } = newQueue(2);
    for (let index = 0; index < 10; index++) await submit(0, "low");
    for (let index = 0; index < 3; index++) await submit(1);
    await submit(0);
    expect([await serve(), await serve()]).toContain(0);
    expect(tenants).toHaveLength(2);
  });

  it("holds limits, never inverts priorities, and never idles, for random arrivals", async () => {
    const action = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ submit: fc.nat(3), priority: fc.constantFrom(...PRIORITIES) }),
      },
      { weight: 2, arbitrary: fc.constant("claim" as const) },
      { weight: 1, arbitrary: fc.record({ settle: fc.nat(20) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 4, maxLength: 4 }),
        fc.array(action, { minLength: 10, maxLength: 40 }),
        async (limits, actions) => {
          const { tenants, submit, claim } = newQueue(4);
          for (const [index, concurrency] of limits.entries()) {
            await program.tenants.set(tenants[index] ?? "", { concurrency });
          }
          const waiting: { id: string; tenant: number; priority: number }[] = [];
          const active: { claim: Claim; tenant: number }[] = [];
          const isFree = (tenant: number) =>
            active.filter((each) => each.tenant === tenant).length < (limits[tenant] ?? 0);
          for (const next of actions) {
            if (next === "claim") {
              const claimed = await claim();
              const free = waiting.filter(({ tenant }) => isFree(tenant));
              expect(claimed === undefined).toBe(free.length === 0);
              if (claimed === undefined) continue;
              const index = waiting.findIndex(({ id }) => id === claimed.run.id);
              const [run] = waiting.splice(index, 1);
              if (run === undefined) throw new Error("a run was claimed twice");
              expect(isFree(run.tenant)).toBe(true);
              expect(run.priority).toBe(Math.max(...free.map(({ priority }) => priority)));
              active.push({ claim: claimed, tenant: run.tenant });
            } else if ("submit" in next) {
              const { id } = await submit(next.submit, next.priority);
              waiting.push({
                id,
                tenant: next.submit,
                priority: PRIORITIES.indexOf(next.priority),
              });
            } else if (active.length > 0) {
              const [ended] = active.splice(next.settle % active.length, 1);
              if (ended) await program.claims.settle(ended.claim, doneWith("done"));
            }
          }
        },
      ),
      { numRuns: repetitions(25) },
    );
  });
});

describe("a rebase", () => {
  it("keeps the order of all waiting runs, and the ranks inside of the engine's integers", async () => {
    const { queue, submit, serve, claim } = newQueue(3);
    for (let index = 0; index < 9; index++) await submit(index % 3);
    const ranks = async () =>
      program.rows<{ tag: string; rank: number }>(
        `select run.tag, job.priority as rank from hawser.run join "hawser_boss".job on job.id = run.job_id
         where run.queue = $1 and run.state = 'queued' order by job.priority desc, job.created_on`,
        [queue],
      );
    // As after a million runs: the clock and all tags are far from the base.
    const far = 1_390_000_000;
    await program.rows("update hawser.clock set v = v + $2 where queue = $1", [queue, far]);
    await program.rows("update hawser.lane set tag = tag + $2 where queue = $1", [queue, far]);
    await program.rows("update hawser.run set tag = tag + $2 where queue = $1", [queue, far]);
    await program.rows(`update "hawser_boss".job set priority = priority - $2 where name = $1`, [
      queue,
      far,
    ]);
    const before = await ranks();
    expect(Math.min(...before.map(({ rank }) => rank))).toBeGreaterThanOrEqual(-(2 ** 31));
    await submit(0);
    // The first three have the tag of the clock. The fourth moves the clock.
    const running = [await claim(), await claim(), await claim(), await claim()];
    const after = await ranks();
    const [clock] = await program.rows<{ base: string }>(
      "select base from hawser.clock where queue = $1",
      [queue],
    );
    expect(Number(clock?.base)).toBeGreaterThan(1_000_000_000);
    expect(after.map(({ tag }) => Number(tag))).toEqual(
      [...after].map(({ tag }) => Number(tag)).sort((a, b) => a - b),
    );
    for (const { tag: of, rank } of after)
      expect(rank).toBe(rankOf(0, Number(of), Number(clock?.base)));
    for (const each of running) {
      if (each !== undefined) await program.claims.settle(each, doneWith("done"));
    }
    const served: (number | undefined)[] = [];
    for (let index = 0; index < 6; index++) served.push(await serve());
    expect([...new Set(served.slice(2, 5))].sort()).toEqual([0, 1, 2]);
    expect(await serve()).toBeUndefined();
  });

  it("waits for a transaction that has computed a rank, and is made up for by a later claim", async () => {
    const { queue, submit, claim } = newQueue(1);
    for (let index = 0; index < 3; index++) await submit(0);
    await program.rows("update hawser.clock set base = v - 800000000 where queue = $1", [queue]);
    const baseNow = async () =>
      Number(
        (
          await program.rows<{ base: string }>("select base from hawser.clock where queue = $1", [
            queue,
          ])
        )[0]?.base,
      );
    const base = await baseNow();
    const other = await world.open();
    await claim();
    await other.database.transaction(async (db) => {
      await program.submit({ queue, tenant: "in a transaction", db });
      await claim();
      expect(await baseNow()).toBe(base);
    });
    await claim();
    expect(await baseNow()).toBeGreaterThan(base);
  });
});
