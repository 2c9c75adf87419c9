import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HawserError } from "../../src/base/index.js";
import { fc } from "../support/fc.js";
import { AdmissionFixture, settle } from "./admission.helper.js";

const inMs = (ms: number) => performance.now() + ms;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => void vi.useRealTimers());

describe("places", () => {
  it("are never taken by more than may be, and none is lost, whatever happens", async () => {
    const events = fc.array(fc.tuple(fc.constantFrom("come", "leave", "abort"), fc.nat(50)), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), events, async (concurrency, all) => {
        const scene = new AdmissionFixture({ concurrency, queueLimit: 10 });
        const aborts = new Map<string, AbortController>();
        for (const [what, which] of all) {
          const names = [...scene.fates.keys()];
          const one = names[which % Math.max(1, names.length)] ?? "";
          if (what === "leave") await scene.leave(one);
          if (what === "abort") aborts.get(one)?.abort();
          if (what === "come") {
            const own = new AbortController();
            aborts.set(`${names.length}`, own);
            await scene.come(`${names.length}`, { signal: own.signal, lane: `${which % 3}` });
          }
          await settle();
          const [running = 0, queued = 0] = scene.counts;
          expect(running).toBeLessThanOrEqual(concurrency);
          expect(queued).toBeLessThanOrEqual(10);
          expect(queued === 0 || running === concurrency).toBe(true);
        }
        await scene.empty();
        expect(scene.counts).toEqual([0, 0]);
      }),
      { numRuns: 60 },
    );
  });

  it("are given back once, however often that is said", async () => {
    const scene = new AdmissionFixture({ concurrency: 1 });
    await scene.come("a");
    await scene.come("b");
    await scene.come("c");
    for (let n = 0; n < 3; n += 1) await scene.leave("a");
    expect([scene.counts, scene.order]).toEqual([
      [1, 1],
      ["a", "b"],
    ]);
  });

  it("that are taken let so many wait, and no more", async () => {
    const scene = new AdmissionFixture({ concurrency: 1, queueLimit: 2 });
    const names = ["a", "b", "c", "d"];
    const fates = await Promise.all(names.map((name) => scene.come(name)));
    expect(fates).toEqual(["in", "waits", "waits", "pool_full"]);
    expect(scene.fates.get("d")).toMatchObject({ message: "2 callers wait already." });
    await scene.leave("a");
    expect(await scene.come("e")).toBe("waits");
    expect(await scene.empty()).toEqual(["a", "b", "c", "e"]);
  });

  it("may be for those who need not wait alone", async () => {
    const scene = new AdmissionFixture({ concurrency: 1, queueLimit: 0 });
    expect([await scene.come("a"), await scene.come("b")]).toEqual(["in", "pool_full"]);
    await scene.leave("a");
    expect(await scene.come("c")).toBe("in");
  });
});

describe("those who wait", () => {
  it("go by priority, then lane by lane in turn, then in the order of their coming", async () => {
    const scene = new AdmissionFixture({ concurrency: 1 });
    await scene.come("first");
    for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) {
      await scene.come(name, { lane: name.charAt(0) });
    }
    await scene.come("low", { priority: -1 });
    await scene.come("high", { priority: 5, lane: "a" });
    const order = ["first", "high", "a1", "b1", "c1", "a2", "b2", "a3", "low"];
    expect(await scene.empty()).toEqual(order);
  });

  it("may leave by their signal, which is not listened to afterwards", async () => {
    const scene = new AdmissionFixture({ concurrency: 1 });
    const all = new AbortController();
    const own = new AbortController();
    await scene.come("a", { signal: all.signal });
    await scene.come("b", { signal: own.signal });
    await scene.come("c", { signal: all.signal });
    own.abort("enough");
    await settle();
    expect(scene.fates.get("b")).toMatchObject({ code: "aborted", reason: "enough" });
    expect(await scene.empty()).toEqual(["a", "c"]);
    expect(getEventListeners(all.signal, "abort")).toEqual([]);
    expect(getEventListeners(own.signal, "abort")).toEqual([]);
    expect(await scene.come("d", { signal: own.signal })).toBe("aborted");
    expect(scene.counts).toEqual([0, 0]);
  });

  it("are all told when there is nothing to wait for any more", async () => {
    const scene = new AdmissionFixture({ concurrency: 1 });
    for (const name of ["a", "b", "c"]) await scene.come(name);
    scene.admission.refuseAll(() => new HawserError("pool_closed"));
    await settle();
    expect(["a", "b", "c"].map((name) => scene.fate(name))).toEqual([
      "in",
      "pool_closed",
      "pool_closed",
    ]);
  });
});

describe("a usage limit", () => {
  const limitFor = (ms: number) =>
    new HawserError("usage_limit", "All used up.", { resetsAt: new Date(Date.now() + ms) });

  it("is told at once to those who cannot wait for its end; the others wait and go", async () => {
    const scene = new AdmissionFixture({ concurrency: 2 });
    const limit = limitFor(60_000);
    await scene.come("told");
    await scene.come("runs");
    const long = { deadlineAt: inMs(90_000) };
    const short = { deadlineAt: inMs(30_000) };
    expect([await scene.come("long", long), await scene.come("short", short)]).toEqual([
      "waits",
      "waits",
    ]);
    await scene.leave("told", limit);
    expect(scene.fates.get("short")).toMatchObject({
      code: "usage_limit",
      resetsAt: limit.resetsAt,
      message: "Another call was told: All used up.",
    });
    expect([await scene.come("late", short), await scene.come("none")]).toEqual([
      "usage_limit",
      "usage_limit",
    ]);
    expect(await scene.come("endless", { deadlineAt: Number.POSITIVE_INFINITY })).toBe("waits");
    await scene.leave("runs");
    vi.advanceTimersByTime(59_990);
    await settle();
    expect(scene.counts).toEqual([0, 2]);
    vi.advanceTimersByTime(20);
    await settle();
    expect(scene.order.slice(2)).toEqual(["long", "endless"]);
    expect(scene.slots.get("long")?.queuedMs).toBeGreaterThan(59_000);
    expect(await scene.come("after")).toBe("waits");
  });

  it("lets a waiting call go soon after the machine has slept past resetsAt", async () => {
    const scene = new AdmissionFixture({ concurrency: 2 });
    await scene.come("told");
    const limit = limitFor(2 * 86_400_000);
    await scene.leave("told", limit);
    expect(await scene.come("waits", { deadlineAt: Number.POSITIVE_INFINITY })).toBe("waits");
    vi.setSystemTime(Date.now() + 5 * 86_400_000); // Timers and the monotonic clock stood still.
    vi.advanceTimersByTime(30_000);
    await settle();
    expect(scene.fate("waits")).toBe("in");
  });

  it("of one account is nothing to another", async () => {
    const scene = new AdmissionFixture({ concurrency: 2 });
    await scene.come("told");
    await scene.leave("told", limitFor(60_000));
    expect(await scene.come("same", { deadlineAt: inMs(99_000) })).toBe("waits");
    expect(await scene.come("other", { account: "other" })).toBe("in");
  });
});

describe.each(["rate_limited", "overloaded"] as const)("an API that says %s", (code) => {
  it("is asked by half as many, after a pause, and by more again as it answers", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const scene = new AdmissionFixture({ concurrency: 4 });
    const names = Array.from({ length: 20 }, (_, i) => `${i}`);
    for (const name of names) await scene.come(name);
    expect([scene.counts, scene.admission.limit]).toEqual([[4, 16], 4]);
    vi.advanceTimersByTime(100);
    for (const name of ["0", "1", "2", "3"]) await scene.leave(name, new HawserError(code));
    expect([scene.counts, scene.admission.limit]).toEqual([[0, 16], 2]);
    expect(await scene.come("other", { account: "other" })).toBe("in");
    await scene.leave("other");
    vi.advanceTimersByTime(990);
    await settle();
    expect(scene.counts).toEqual([0, 16]);
    vi.advanceTimersByTime(20);
    await settle();
    expect(scene.counts).toEqual([2, 14]);
    const limits: number[] = [];
    for (let at = 5; at < 16; at += 1) {
      await scene.leave(scene.order[at] ?? "");
      limits.push(scene.admission.limit);
      expect(scene.admission.running).toBeLessThanOrEqual(scene.admission.limit);
    }
    expect(limits.slice(0, 7)).toEqual([2, 3, 3, 3, 4, 4, 4]);
    vi.restoreAllMocks();
  });

  it("is asked again no sooner than it says", async () => {
    const scene = new AdmissionFixture({ concurrency: 1 });
    await scene.come("a");
    await scene.come("b");
    await scene.leave("a", new HawserError(code, undefined, { retryAfterMs: 20_000 }));
    vi.advanceTimersByTime(19_990);
    await settle();
    expect(scene.fate("b")).toBe("waits");
    vi.advanceTimersByTime(10_020);
    await settle();
    expect(scene.fate("b")).toBe("in");
  });
});

describe("a budget", () => {
  it("lets one in, then as many as it has money for, and refuses those who wait when it is spent", async () => {
    const scene = new AdmissionFixture({ concurrency: 4, budgetUsd: 3.5 });
    for (const name of ["a", "b", "c", "d", "e", "f"]) await scene.come(name);
    expect(scene.order).toEqual(["a"]);
    scene.slots.get("a")?.charge.add(1);
    await scene.leave("a");
    expect(scene.order).toEqual(["a", "b", "c", "d"]);
    for (const name of ["b", "c"]) scene.slots.get(name)?.charge.add(1);
    await scene.leave("b");
    expect(scene.counts).toEqual([2, 2]);
    await scene.leave("c");
    scene.slots.get("d")?.charge.add(1);
    await scene.leave("d");
    expect([scene.fate("e"), scene.fate("f")]).toEqual(["budget_refused", "budget_refused"]);
    expect(scene.fates.get("e")).toMatchObject({ hint: "Raise `budgetUsd`." });
    expect(await scene.come("g")).toBe("budget_refused");
  });

  it("is not kept waiting by a session, whose cost counts all the same", async () => {
    const scene = new AdmissionFixture({ budgetUsd: 1 });
    await scene.come("session", { purpose: "session" });
    expect(await scene.come("a")).toBe("in");
    await scene.leave("a");
    scene.slots.get("session")?.charge.add(0.9);
    expect(await scene.come("b")).toBe("in");
    await scene.leave("b");
    scene.slots.get("session")?.charge.add(0.1);
    expect(await scene.come("c")).toBe("budget_refused");
  });

  it("of one tenant refuses that one alone", async () => {
    const scene = new AdmissionFixture({ budgetUsd: { perTenant: 1, tenants: { rich: 5 } } });
    for (const tenant of ["poor", "rich"]) {
      await scene.come(tenant, { tenant });
      scene.slots.get(tenant)?.charge.add(2);
      await scene.leave(tenant);
    }
    const fates = await Promise.all(
      ["poor", "rich", "new", undefined].map((tenant) => scene.come(`${tenant}2`, { tenant })),
    );
    expect(fates).toEqual(["budget_refused", "in", "in", "in"]);
    expect(scene.admission.ledger.tenants()).toEqual({ poor: 2, rich: 2, new: 0 });
  });
});
