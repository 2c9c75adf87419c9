import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HawserError } from "../../src/base/index.js";
import type { Binding } from "../../src/pool/binding.js";
import type { PoolOptions } from "../../src/pool/options.js";
import { fc } from "../support/fc.js";
import { AdmissionFixture, bindingOf, REQUEST, settle } from "./admission.helper.js";

const inMs = (ms: number) => performance.now() + ms;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => void vi.useRealTimers());

describe("Admission", () => {
  it("admits at most `concurrency` calls and loses no slot, whatever calls come, leave and abort", async () => {
    const events = fc.array(fc.tuple(fc.constantFrom("come", "leave", "abort"), fc.nat(50)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), events, async (concurrency, all) => {
        const fixture = new AdmissionFixture({ concurrency, queueLimit: 10 });
        const aborts = new Map<string, AbortController>();
        for (const [what, which] of all) {
          const names = [...fixture.fates.keys()];
          const one = names[which % Math.max(1, names.length)] ?? "";
          if (what === "leave") await fixture.release(one);
          if (what === "abort") aborts.get(one)?.abort();
          if (what === "come") {
            const own = new AbortController();
            aborts.set(`${names.length}`, own);
            await fixture.enter(`${names.length}`, { signal: own.signal, lane: `${which % 3}` });
          }
          await settle();
          const [running = 0, queued = 0] = fixture.counts;
          expect(running).toBeLessThanOrEqual(concurrency);
          expect(queued).toBeLessThanOrEqual(10);
          expect(queued === 0 || running === concurrency).toBe(true);
        }
        await fixture.releaseAll();
        expect(fixture.counts).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });

  it("frees a slot once, however often the call releases it", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1 });
    await fixture.enter("a");
    await fixture.enter("b");
    await fixture.enter("c");
    for (let n = 0; n < 3; n += 1) await fixture.release("a");
    expect([fixture.counts, fixture.order]).toEqual([
      [1, 1],
      ["a", "b"],
    ]);
  });

  it("queues up to queueLimit calls, and refuses further calls with pool_full", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1, queueLimit: 2 });
    const names = ["a", "b", "c", "d"];
    const fates = await Promise.all(names.map((name) => fixture.enter(name)));
    expect(fates).toEqual(["in", "waits", "waits", "pool_full"]);
    expect(fixture.fates.get("d")).toMatchObject({ message: "2 callers wait already." });
    await fixture.release("a");
    expect(await fixture.enter("e")).toBe("waits");
    expect(await fixture.releaseAll()).toEqual(["a", "b", "c", "e"]);
  });

  it("refuses with pool_full instead of queueing when queueLimit is 0", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1, queueLimit: 0 });
    expect([await fixture.enter("a"), await fixture.enter("b")]).toEqual(["in", "pool_full"]);
    await fixture.release("a");
    expect(await fixture.enter("c")).toBe("in");
  });
});

describe("Admission queue", () => {
  it("serves by priority, then lane by lane in turn, then in order of arrival", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1 });
    await fixture.enter("first");
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) {
      await fixture.enter(name, { lane: name.charAt(0) });
    }
    await fixture.enter("low", { priority: -1 });
    await fixture.enter("high", { priority: 5, lane: "a" });
    const order = ["first", "high", "a1", "b1", "c1", "a2", "b2", "a3", "low"];
    expect(await fixture.releaseAll()).toEqual(order);
  });

  it("rejects a waiting call when its signal aborts, and removes its listeners", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1 });
    const all = new AbortController();
    const own = new AbortController();
    await fixture.enter("a", { signal: all.signal });
    await fixture.enter("b", { signal: own.signal });
    await fixture.enter("c", { signal: all.signal });
    own.abort("enough");
    await settle();
    expect(fixture.fates.get("b")).toMatchObject({ code: "aborted", reason: "enough" });
    expect(await fixture.releaseAll()).toEqual(["a", "c"]);
    expect(getEventListeners(all.signal, "abort")).toEqual([]);
    expect(getEventListeners(own.signal, "abort")).toEqual([]);
    expect(await fixture.enter("d", { signal: own.signal })).toBe("aborted");
    expect(fixture.counts).toEqual([0, 0]);
  });

  it("rejects all waiting calls by refuseAll()", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1 });
    for (const name of ["a", "b", "c"]) await fixture.enter(name);
    fixture.admission.refuseAll(() => new HawserError("pool_closed"));
    await settle();
    expect(["a", "b", "c"].map((name) => fixture.fate(name))).toEqual([
      "in",
      "pool_closed",
      "pool_closed",
    ]);
  });
});

describe("Admission by processes", () => {
  const enterAll = async (fixture: AdmissionFixture, names: string) => {
    for (const name of names.split(" ")) {
      const kind = name.charAt(0);
      await fixture.enter(name, { lane: kind, binding: bindingOf(kind) });
    }
  };

  it("serves requests that fit a free process first, if the others have their share of the processes", async () => {
    const supply = {
      hasPlaceFor: ({ requestKey }: Binding) => requestKey === "a",
      countFor: () => 2,
    };
    const fixture = new AdmissionFixture({ concurrency: 1, size: { max: 4 } }, supply);
    await enterAll(fixture, "a0 b1 a1 b2 a2 a3 a4");
    expect(await fixture.releaseAll()).toEqual(["a0", "a1", "a2", "a3", "a4", "b1", "b2"]);
  });

  it("lets two requests pass one whose kind has fewer processes than its share", async () => {
    const countFor = ({ requestKey }: Binding) => (requestKey === "a" ? 4 : 0);
    const supply = { hasPlaceFor: ({ requestKey }: Binding) => requestKey === "a", countFor };
    const fixture = new AdmissionFixture({ concurrency: 1, size: { max: 4 } }, supply);
    await enterAll(fixture, "a0 b1 a1 b2 a2 a3 a4");
    expect(await fixture.releaseAll()).toEqual(["a0", "a1", "a2", "b1", "a3", "a4", "b2"]);
  });
});

describe("Admission after usage_limit", () => {
  const limitFor = (ms: number) =>
    new HawserError("usage_limit", "All used up.", { resetsAt: new Date(Date.now() + ms) });

  it("rejects calls whose deadline is before resetsAt at once, and admits the others after it", async () => {
    const fixture = new AdmissionFixture({ concurrency: 2 });
    const limit = limitFor(60_000);
    await fixture.enter("told");
    await fixture.enter("runs");
    const long = { deadlineAt: inMs(90_000) };
    const short = { deadlineAt: inMs(30_000) };
    expect([await fixture.enter("long", long), await fixture.enter("short", short)]).toEqual([
      "waits",
      "waits",
    ]);
    await fixture.release("told", limit);
    expect(fixture.fates.get("short")).toMatchObject({
      code: "usage_limit",
      resetsAt: limit.resetsAt,
      message: "Another call reached a usage limit: All used up.",
    });
    expect([await fixture.enter("late", short), await fixture.enter("none")]).toEqual([
      "usage_limit",
      "usage_limit",
    ]);
    expect(await fixture.enter("endless", { deadlineAt: Number.POSITIVE_INFINITY })).toBe("waits");
    await fixture.release("runs");
    vi.advanceTimersByTime(59_990);
    await settle();
    expect(fixture.counts).toEqual([0, 2]);
    vi.advanceTimersByTime(20);
    await settle();
    expect(fixture.order.slice(2)).toEqual(["long", "endless"]);
    expect(fixture.slots.get("long")?.queuedMs).toBeGreaterThan(59_000);
    expect(await fixture.enter("after")).toBe("waits");
  });

  it("admits a waiting call soon after the machine has slept past resetsAt", async () => {
    const fixture = new AdmissionFixture({ concurrency: 2 });
    await fixture.enter("told");
    const limit = limitFor(2 * 86_400_000);
    await fixture.release("told", limit);
    expect(await fixture.enter("waits", { deadlineAt: Number.POSITIVE_INFINITY })).toBe("waits");
    vi.setSystemTime(Date.now() + 5 * 86_400_000); // Timers and the monotonic clock stood still.
    vi.advanceTimersByTime(30_000);
    await settle();
    expect(fixture.fate("waits")).toBe("in");
  });

  it("does not hold back calls of another account", async () => {
    const fixture = new AdmissionFixture({ concurrency: 2 });
    await fixture.enter("told");
    await fixture.release("told", limitFor(60_000));
    expect(await fixture.enter("same", { deadlineAt: inMs(99_000) })).toBe("waits");
    expect(await fixture.enter("other", { account: "other" })).toBe("in");
  });
});

describe.each(["rate_limited", "overloaded"] as const)("Admission after %s", (code) => {
  it("halves the limit, pauses, and raises the limit again as calls succeed", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const fixture = new AdmissionFixture({ concurrency: 4 });
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const name of names) await fixture.enter(name);
    expect([fixture.counts, fixture.admission.limit]).toEqual([[4, 16], 4]);
    vi.advanceTimersByTime(100);
    for (const name of ["0", "1", "2", "3"]) await fixture.release(name, new HawserError(code));
    expect([fixture.counts, fixture.admission.limit]).toEqual([[0, 16], 2]);
    expect(await fixture.enter("other", { account: "other" })).toBe("in");
    await fixture.release("other");
    vi.advanceTimersByTime(990);
    await settle();
    expect(fixture.counts).toEqual([0, 16]);
    vi.advanceTimersByTime(20);
    await settle();
    expect(fixture.counts).toEqual([2, 14]);
    const limits: number[] = [];
    for (let at = 5; at < 16; at += 1) {
      await fixture.release(fixture.order[at] ?? "");
      limits.push(fixture.admission.limit);
      expect(fixture.admission.running).toBeLessThanOrEqual(fixture.admission.limit);
    }
    expect(limits.slice(0, 7)).toEqual([2, 3, 3, 3, 4, 4, 4]);
    vi.restoreAllMocks();
  });

  it("waits at least retryAfterMs", async () => {
    const fixture = new AdmissionFixture({ concurrency: 1 });
    await fixture.enter("a");
    await fixture.enter("b");
    await fixture.release("a", new HawserError(code, undefined, { retryAfterMs: 20_000 }));
    vi.advanceTimersByTime(19_990);
    await settle();
    expect(fixture.fate("b")).toBe("waits");
    vi.advanceTimersByTime(10_020);
    await settle();
    expect(fixture.fate("b")).toBe("in");
  });
});

describe("Admission with budgetUsd", () => {
  it("admits one call, then as many as the budget covers, and refuses waiting calls when it is spent", async () => {
    const fixture = new AdmissionFixture({ concurrency: 4, budgetUsd: 3.5 });
    for (const name of ["a", "b", "c", "d", "e", "f"]) await fixture.enter(name);
    expect(fixture.order).toEqual(["a"]);
    fixture.slots.get("a")?.charge.add(1);
    await fixture.release("a");
    expect(fixture.order).toEqual(["a", "b", "c", "d"]);
    for (const name of ["b", "c"]) fixture.slots.get(name)?.charge.add(1);
    await fixture.release("b");
    expect(fixture.counts).toEqual([2, 2]);
    await fixture.release("c");
    fixture.slots.get("d")?.charge.add(1);
    await fixture.release("d");
    expect([fixture.fate("e"), fixture.fate("f")]).toEqual(["budget_refused", "budget_refused"]);
    expect(fixture.fates.get("e")).toMatchObject({ hint: "Raise `budgetUsd`." });
    expect(await fixture.enter("g")).toBe("budget_refused");
  });

  it("admits calls beside an open session, and counts the cost of the session", async () => {
    const fixture = new AdmissionFixture({ budgetUsd: 1 });
    await fixture.enter("session", { purpose: "session" });
    expect(await fixture.enter("a")).toBe("in");
    await fixture.release("a");
    fixture.slots.get("session")?.charge.add(0.9);
    expect(await fixture.enter("b")).toBe("in");
    await fixture.release("b");
    fixture.slots.get("session")?.charge.add(0.1);
    expect(await fixture.enter("c")).toBe("budget_refused");
  });

  it("refuses only the tenant whose budget is spent", async () => {
    const fixture = new AdmissionFixture({ budgetUsd: { perTenant: 1, tenants: { rich: 5 } } });
    for (const tenant of ["poor", "rich"]) {
      await fixture.enter(tenant, { tenant });
      fixture.slots.get(tenant)?.charge.add(2);
      await fixture.release(tenant);
    }
    const fates = await Promise.all(
      ["poor", "rich", "new", undefined].map((tenant) => fixture.enter(`${tenant}2`, { tenant })),
    );
    expect(fates).toEqual(["budget_refused", "in", "in", "in"]);
    expect(fixture.admission.ledger.tenants()).toEqual({ poor: 2, rich: 2, new: 0 });
  });
});

describe("Admission of thousands of waiting calls", () => {
  beforeEach(() => void vi.useRealTimers());

  /** The CPU time, in milliseconds, until this many calls have come, waited, run and left. */
  async function cpuOf(count: number, options: PoolOptions, refused?: HawserError) {
    const { admission } = new AdmissionFixture({ ...options, queueLimit: count });
    const startedAt = process.cpuUsage();
    const first = await admission.enter({ ...REQUEST, lane: "first" });
    const calls = Array.from({ length: count }, async (_, i) => {
      const tenant = `${i % 10}`;
      const slot = await admission.enter({ ...REQUEST, tenant, lane: tenant });
      slot.charge.add(0.000_001);
      slot.charge.settle(false);
      slot.release(undefined);
    });
    first.charge.add(0.000_001);
    first.charge.settle(false);
    first.release(refused);
    await Promise.all(calls);
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1000;
  }

  it.each<[string, PoolOptions, HawserError | undefined]>([
    ["by itself", { concurrency: 1 }, undefined],
    ["with a budget", { concurrency: 1, budgetUsd: { total: 100, perTenant: 50 } }, undefined],
    [
      "after a pause",
      { concurrency: 1 },
      new HawserError("rate_limited", undefined, { retryAfterMs: 10 }),
    ],
  ])("takes time in proportion to their number %s", async (_, options, refused) => {
    await cpuOf(2_000, options, refused);
    const small = await cpuOf(2_000, options, refused);
    const large = await cpuOf(16_000, options, refused);
    // Eight times as many calls would take 64 times as long if each call looked at all others.
    expect(large / Math.max(small, 1)).toBeLessThan(32);
  });
});
