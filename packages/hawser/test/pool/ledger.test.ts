import { describe, expect, it } from "vitest";
import { ERROR_CODES, HawserError } from "../../src/base/index.js";
import { Ledger, type PoolBudget } from "../../src/pool/admission/ledger.js";
import { fc } from "../support/fc.js";

/** A call that has ended. */
function spend(ledger: Ledger, usd: number | undefined, tenant?: string): void {
  const charge = ledger.begin(tenant);
  charge.add(usd);
  charge.settle(false);
}

/** Returns "refused" instead of the error. */
function verdict(ledger: Ledger, tenant?: string): "go" | "wait" | "refused" {
  const said = ledger.verdict(tenant);
  return said instanceof HawserError ? "refused" : said;
}

describe("Ledger", () => {
  it("without a budget refuses nothing, and counts all costs", () => {
    const ledger = new Ledger(undefined);
    const running = Array.from({ length: 50 }, () => ledger.begin(undefined));
    for (const charge of running) charge.add(100);
    expect([verdict(ledger), ledger.spentUsd, ledger.tenants()]).toEqual(["go", 5000, {}]);
  });

  it("admits calls until the budget is spent, and then refuses with budget_refused", () => {
    const ledger = new Ledger(1);
    spend(ledger, 0.75);
    expect(verdict(ledger)).toBe("go");
    spend(ledger, 0.5);
    const refusal = ledger.verdict(undefined);
    expect(refusal).toBeInstanceOf(HawserError);
    expect(refusal).toMatchObject({
      code: "budget_refused",
      message: "The pool has spent $1.25 of its budget of $1.",
      hint: "Raise `budgetUsd`.",
      retryable: ERROR_CODES.budget_refused.retryable,
    });
  });

  it("tolerates floating-point sums (10 × 0.1 < 1)", () => {
    const ledger = new Ledger(1);
    for (let n = 0; n < 10; n += 1) spend(ledger, 0.1);
    expect(verdict(ledger)).toBe("refused");
  });

  it("with a budget of 0 refuses the first call", () => {
    expect(new Ledger(0).verdict(undefined)).toMatchObject({
      message: "The pool has spent $0 of its budget of $0.",
    });
  });

  it("admits one call at a time until a cost is known", () => {
    const ledger = new Ledger(10);
    const first = ledger.begin(undefined);
    expect(verdict(ledger)).toBe("wait");
    first.add(0);
    expect(verdict(ledger)).toBe("wait");
    first.add(undefined);
    first.settle(true);
    expect(verdict(ledger)).toBe("go");
    const second = ledger.begin(undefined);
    expect(verdict(ledger)).toBe("wait");
    second.add(0.5);
    expect(verdict(ledger)).toBe("go");
  });

  it("admits as many calls at once as the most expensive call so far leaves room for", () => {
    const ledger = new Ledger(1);
    spend(ledger, 0.25);
    const first = ledger.begin(undefined);
    const verdicts = Array.from({ length: 3 }, () => {
      const said = verdict(ledger);
      if (said === "go") ledger.begin(undefined);
      return said;
    });
    expect(verdicts).toEqual(["go", "go", "wait"]);
    first.add(0.1);
    expect(verdict(ledger)).toBe("wait");
    first.settle(false);
    expect(verdict(ledger)).toBe("go");
  });

  it("reserves for a session the cost of the most expensive call minus what it has spent", () => {
    const ledger = new Ledger(1);
    spend(ledger, 0.4);
    const session = ledger.begin(undefined);
    session.add(0.3);
    // 0.7 spent, 0.1 reserved.
    expect(verdict(ledger)).toBe("go");
    ledger.begin(undefined).add(0.15);
    // 0.85 spent, 0.1 and 0.25 reserved.
    expect(verdict(ledger)).toBe("wait");
    session.add(0.1);
    expect([verdict(ledger), ledger.spentUsd]).toEqual(["wait", expect.closeTo(0.95)]);
    session.add(0.05);
    expect(verdict(ledger)).toBe("refused");
  });

  it("counts an unknown cost as the most expensive result", () => {
    const ledger = new Ledger(10);
    spend(ledger, 0.5);
    spend(ledger, 0.25);
    for (const unknown of [undefined, Number.NaN, -1, Number.POSITIVE_INFINITY]) {
      spend(ledger, unknown);
    }
    expect(ledger.spentUsd).toBe(2.75);
    ledger.begin(undefined).settle(true);
    expect(ledger.spentUsd).toBe(3.25);
    ledger.begin(undefined).settle(false);
    expect(ledger.spentUsd).toBe(3.25);
  });

  it("does not count a whole session as one result", () => {
    const ledger = new Ledger(undefined);
    const session = ledger.begin(undefined);
    for (let n = 0; n < 10; n += 1) session.add(0.25);
    for (let n = 0; n < 10; n += 1) session.add(undefined);
    session.settle(true);
    expect(ledger.spentUsd).toBe(5.25);
  });

  it("counts earlier unknown costs as the first known cost", () => {
    const ledger = new Ledger(1);
    for (let n = 0; n < 3; n += 1) spend(ledger, undefined);
    spend(ledger, 0);
    expect([ledger.spentUsd, verdict(ledger)]).toEqual([0, "go"]);
    spend(ledger, 0.25);
    expect([ledger.spentUsd, verdict(ledger)]).toEqual([1, "refused"]);
  });

  it("counts the end of a call once, and costs that arrive after it", () => {
    const ledger = new Ledger(10);
    spend(ledger, 1);
    const charge = ledger.begin(undefined);
    for (let n = 0; n < 3; n += 1) charge.settle(true);
    expect(ledger.spentUsd).toBe(2);
    charge.add(0.5);
    expect(ledger.spentUsd).toBe(2.5);
  });
});

describe("Ledger tenant", () => {
  const budget: PoolBudget = { total: 10, perTenant: 1, tenants: { big: 5, none: 0 } };

  it("has its own budget", () => {
    const ledger = new Ledger(budget);
    spend(ledger, 2, "small");
    spend(ledger, 2, "big");
    expect(ledger.verdict("small")).toMatchObject({
      code: "budget_refused",
      message: 'Tenant "small" has spent $2 of its budget of $1.',
      hint: "Raise `budgetUsd.perTenant`.",
    });
    expect(ledger.verdict("none")).toMatchObject({ hint: 'Raise `budgetUsd.tenants["none"]`.' });
    expect(["big", "other", undefined].map((each) => verdict(ledger, each))).toEqual(
      Array(3).fill("go"),
    );
    expect([ledger.tenants(), ledger.spentUsd]).toEqual([{ small: 2, big: 2 }, 4]);
  });

  it("is refused when the budget of the pool is spent", () => {
    const ledger = new Ledger(budget);
    spend(ledger, 12);
    expect(ledger.verdict("none")).toMatchObject({
      message: "The pool has spent $12 of its budget of $10.",
      hint: "Raise `budgetUsd.total`.",
    });
  });

  it("waits for its own calls, and not for calls of other tenants", () => {
    const ledger = new Ledger({ perTenant: 1 });
    ledger.begin("a");
    ledger.begin(undefined);
    expect([undefined, "a", "b"].map((each) => verdict(ledger, each))).toEqual([
      "go",
      "wait",
      "go",
    ]);
  });

  it("waits for calls of other tenants when the budget of the pool is short", () => {
    const ledger = new Ledger({ total: 1 });
    spend(ledger, 0.5, "a");
    ledger.begin("a");
    expect(verdict(ledger, "b")).toBe("wait");
  });

  it("may have any name, such as __proto__", () => {
    const named = JSON.parse('{ "__proto__": 3 }') as Record<string, number>;
    const ledger = new Ledger({ perTenant: 1, tenants: named });
    const names = ["__proto__", "constructor", ""];
    for (const name of names) spend(ledger, 2, name);
    expect(names.map((name) => verdict(ledger, name))).toEqual(["go", "refused", "refused"]);
    expect(Object.entries(ledger.tenants())).toEqual(names.map((name) => [name, 2]));
    expect(new Ledger({ tenants: {} }).verdict("constructor")).toBe("go");
  });

  it("is not stored by a question about it", () => {
    const ledger = new Ledger(budget);
    ledger.verdict("a");
    expect(ledger.tenants()).toEqual({});
  });
});

/** A call of the simulation, in whole cents; its costs come one by one. */
interface Run {
  readonly costs: readonly number[];
  readonly tenant: string | undefined;
}

interface Admission {
  readonly run: Run;
  /** The most expensive known call at that time. */
  readonly dearest: number;
  readonly beside: readonly Run[];
}

const sum = (costs: readonly number[]) => costs.reduce((total, cost) => total + cost, 0);

/** Admits runs as the ledger allows, and advances them in the order of `chances`. */
function simulate(budget: PoolBudget, runs: readonly Run[], chances: readonly number[]) {
  const ledger = new Ledger(budget);
  const admissions: Admission[] = [];
  const queue = [...runs];
  const running: { run: Run; charge: ReturnType<Ledger["begin"]>; left: number[] }[] = [];
  let dearest = 0;
  for (let step = 0; queue.length + running.length > 0; step += 1) {
    const chance = chances[step % chances.length] ?? 0;
    const [next] = queue;
    const said = next === undefined ? "none" : ledger.verdict(next.tenant);
    if (running.length === 0) expect(said).not.toBe("wait");
    if (next !== undefined && said instanceof HawserError) {
      queue.shift();
    } else if (next !== undefined && said === "go" && (chance % 3 > 0 || running.length === 0)) {
      queue.shift();
      admissions.push({ run: next, dearest, beside: running.map(({ run }) => run) });
      running.push({ run: next, charge: ledger.begin(next.tenant), left: [...next.costs] });
    } else {
      const at = chance % running.length;
      const each = running[at];
      const cost = each?.left.shift();
      if (cost !== undefined) each?.charge.add(cost / 100);
      else running.splice(at, 1)[0]?.charge.settle(false);
      const so = each === undefined ? 0 : sum(each.run.costs) - sum(each.left);
      dearest = Math.max(dearest, so);
    }
  }
  return { ledger, admissions, spent: Math.round(ledger.spentUsd * 100) };
}

const chances = fc.array(fc.nat(1000), { minLength: 1, maxLength: 200 });
const tenant = fc.constantFrom(undefined, "a", "b", "__proto__");

function someRuns(results: fc.Arbitrary<number[]>): fc.Arbitrary<Run[]> {
  return fc.array(fc.record({ costs: results, tenant }), { minLength: 1, maxLength: 60 });
}

const sessions = someRuns(fc.array(fc.nat(100), { maxLength: 4 }));

describe("Ledger with random calls and costs", () => {
  it("costs less than the budget plus the most expensive call, if no call costs more than the first", () => {
    const falling = someRuns(fc.tuple(fc.integer({ min: 1, max: 100 }))).map((runs) => {
      const costs = runs.map((run) => run.costs).sort(([a = 0], [b = 0]) => b - a);
      return runs.map((run, index) => ({ ...run, costs: costs[index] ?? [] }));
    });
    fc.assert(
      fc.property(falling, fc.integer({ min: 1, max: 500 }), chances, (runs, cents, order) => {
        const { spent } = simulate(cents / 100, runs, order);
        expect(spent).toBeLessThan(cents + sum(runs[0]?.costs ?? []));
      }),
    );
  });

  it("exceeds the budget only by the last admitted call and by unforeseen costs of calls beside it", () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1, max: 500 }), chances, (runs, cents, order) => {
        const { spent, admissions } = simulate(cents / 100, runs, order);
        const last = admissions.at(-1);
        const unforeseen = (last?.beside ?? []).map((run) =>
          Math.max(0, sum(run.costs) - (last?.dearest ?? 0)),
        );
        expect(spent).toBeLessThan(cents + sum(last?.run.costs ?? []) + sum(unforeseen));
      }),
    );
  });

  it("refuses a call only when the budget is spent", () => {
    fc.assert(
      fc.property(sessions, fc.integer({ min: 1, max: 500 }), chances, (runs, cents, order) => {
        const { spent, admissions } = simulate(cents / 100, runs, order);
        if (admissions.length < runs.length) expect(spent).toBeGreaterThanOrEqual(cents);
        expect(spent).toBe(sum(admissions.map(({ run }) => sum(run.costs))));
      }),
    );
  });

  it("costs no tenant more than its budget plus one call, if all calls cost the same", () => {
    const even = fc
      .tuple(someRuns(fc.constant([])), fc.integer({ min: 1, max: 100 }))
      .map(([runs, cost]) => runs.map((run) => ({ ...run, costs: [cost] })));
    fc.assert(
      fc.property(even, fc.integer({ min: 1, max: 300 }), chances, (runs, cents, order) => {
        const { ledger, admissions } = simulate({ perTenant: cents / 100 }, runs, order);
        const cost = sum(runs[0]?.costs ?? []);
        for (const [name, usd] of Object.entries(ledger.tenants())) {
          const own = admissions.filter(({ run }) => run.tenant === name);
          expect(Math.round(usd * 100)).toBe(own.length * cost);
          expect(own.length * cost).toBeLessThan(cents + cost);
        }
      }),
    );
  });
});
