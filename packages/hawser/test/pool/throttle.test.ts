import { describe, expect, it } from "vitest";
import { ERROR_CODES, type ErrorCode, type ErrorFacts, HawserError } from "../../src/base/index.js";
import { Throttle } from "../../src/pool/admission/throttle.js";
import { fc } from "../support/fc.js";

/** A throttle with a clock that stands still, and without jitter by default. */
class Scene {
  ms = 1000;
  /** The system time. A test changes it to set the clock, or as if the machine had slept. */
  date = Date.UTC(2030, 0, 1);
  part = 0.5;
  readonly throttle: Throttle;

  constructor(concurrency: number) {
    this.throttle = new Throttle({
      concurrency,
      now: () => this.ms,
      date: () => this.date + this.ms - 1000,
      random: () => this.part,
    });
  }

  fail(code: ErrorCode, facts: ErrorFacts = {}, startedAt: number = this.ms): HawserError {
    const error = new HawserError(code, undefined, facts);
    this.throttle.failed(error, startedAt);
    return error;
  }

  succeed(times: number, startedAt: number = this.ms): void {
    for (let n = 0; n < times; n += 1) this.throttle.succeeded(startedAt);
  }

  /** The pause after one more failure. */
  nextPause(): number {
    this.ms += this.throttle.msUntilOpen();
    this.fail("rate_limited");
    return this.throttle.msUntilOpen();
  }
}

describe("Throttle limit", () => {
  it("begins at the maximum", () => {
    const { throttle } = new Scene(7);
    expect([throttle.limit, throttle.pausedUntil, throttle.msUntilOpen()]).toEqual([7, 0, 0]);
    expect(throttle.usageLimit).toBeUndefined();
  });

  it.each<ErrorCode>(["rate_limited", "overloaded"])("is halved by %s, down to one", (code) => {
    const scene = new Scene(9);
    const limits = Array.from({ length: 5 }, () => {
      scene.ms += 1;
      scene.fail(code);
      return scene.throttle.limit;
    });
    expect(limits).toEqual([4, 2, 1, 1, 1]);
  });

  it("is halved once by calls that ran together", () => {
    const scene = new Scene(8);
    const startedAt = scene.ms;
    scene.ms += 500;
    for (let n = 0; n < 8; n += 1) scene.fail("overloaded", {}, startedAt + n);
    expect([scene.throttle.limit, scene.throttle.msUntilOpen()]).toEqual([4, 1000]);
    scene.ms += 1;
    scene.fail("overloaded", {}, scene.ms);
    expect(scene.throttle.limit).toBe(2);
  });

  it("grows by one for each round of successes, up to the maximum", () => {
    const scene = new Scene(12);
    for (let n = 0; n < 4; n += 1) scene.fail("rate_limited");
    for (let limit = 1; limit < 12; limit += 1) {
      expect(scene.throttle.limit).toBe(limit);
      scene.succeed(limit - 1);
      expect(scene.throttle.limit).toBe(limit);
      scene.succeed(1);
    }
    scene.succeed(100);
    expect(scene.throttle.limit).toBe(12);
  });

  it("does not grow by calls that started before it was lowered", () => {
    const scene = new Scene(4);
    scene.fail("rate_limited");
    scene.succeed(50, scene.ms - 1);
    expect(scene.throttle.limit).toBe(2);
    expect(scene.nextPause()).toBe(2000);
  });

  it("does not change with any other code, which also causes no pause", () => {
    const idle = (code: string) => !["rate_limited", "overloaded", "usage_limit"].includes(code);
    for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
      const scene = new Scene(4);
      scene.fail(code);
      const { limit, pausedUntil } = scene.throttle;
      expect([code, limit === 4 && pausedUntil === 0]).toEqual([code, idle(code)]);
    }
  });
});

describe("Throttle pause after rate_limited or overloaded", () => {
  it("doubles, up to a minute, until a call succeeds", () => {
    const scene = new Scene(4);
    const pauses = Array.from({ length: 9 }, () => scene.nextPause());
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    scene.succeed(1);
    expect([scene.nextPause(), scene.nextPause()]).toEqual([1000, 2000]);
  });

  it("ends after its time", () => {
    const scene = new Scene(4);
    scene.fail("rate_limited");
    expect([scene.throttle.pausedUntil, scene.throttle.msUntilOpen()]).toEqual([2000, 1000]);
    scene.ms = 1999.5;
    expect([scene.throttle.pausedUntil, scene.throttle.msUntilOpen()]).toEqual([2000, 1]);
    scene.ms = 2000;
    expect([scene.throttle.pausedUntil, scene.throttle.msUntilOpen()]).toEqual([0, 0]);
  });

  it("varies randomly between half and one and a half times its length", () => {
    const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(part, fc.nat(8), (chance, before) => {
        const scene = new Scene(4);
        for (let n = 0; n < before; n += 1) scene.nextPause();
        scene.part = chance;
        const whole = Math.min(60_000, 1000 * 2 ** before);
        const pause = scene.nextPause();
        expect(pause).toBeGreaterThanOrEqual(whole * 0.5);
        expect(pause).toBeLessThanOrEqual(whole * 1.5 + 1);
      }),
    );
  });

  it("lasts at least retryAfterMs, and little longer", () => {
    const part = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(part, fc.integer({ min: 1, max: 1e7 }), (chance, retryAfterMs) => {
        const scene = new Scene(4);
        scene.part = chance;
        scene.fail("rate_limited", { retryAfterMs });
        const pause = scene.throttle.msUntilOpen();
        expect(pause).toBeGreaterThanOrEqual(retryAfterMs);
        expect(pause).toBeLessThanOrEqual(retryAfterMs * 1.5 + 1);
      }),
    );
  });

  it("lasts as long as the longest retryAfterMs of calls that ran together", () => {
    const scene = new Scene(4);
    scene.part = 0;
    const startedAt = scene.ms - 1;
    scene.fail("rate_limited", {}, startedAt);
    scene.fail("rate_limited", { retryAfterMs: 30_000 }, startedAt);
    scene.fail("rate_limited", { retryAfterMs: 10_000 }, startedAt);
    expect([scene.throttle.limit, scene.throttle.msUntilOpen()]).toEqual([2, 30_000]);
  });

  it.each([0, -5, Number.NaN])("ignores a retryAfterMs of %d", (retryAfterMs) => {
    const scene = new Scene(4);
    scene.fail("overloaded", { retryAfterMs });
    expect(scene.throttle.msUntilOpen()).toBe(1000);
  });
});

describe("Throttle pause after usage_limit", () => {
  it("lasts until resetsAt, and reports its error meanwhile", () => {
    const scene = new Scene(4);
    const error = scene.fail("usage_limit", { resetsAt: new Date(scene.date + 3_600_000) });
    expect(scene.throttle.usageLimit).toBe(error);
    expect([scene.throttle.limit, scene.throttle.pausedUntil]).toEqual([4, 3_601_000]);
    scene.ms = 3_600_999;
    expect([scene.throttle.usageLimit, scene.throttle.msUntilOpen()]).toEqual([error, 1]);
    scene.succeed(1);
    expect(scene.throttle.usageLimit).toBe(error);
    scene.ms = 3_601_000;
    const { usageLimit, pausedUntil } = scene.throttle;
    expect([usageLimit, pausedUntil, scene.throttle.msUntilOpen()]).toEqual([undefined, 0, 0]);
  });

  it("ends at resetsAt when the machine has slept meanwhile", () => {
    const scene = new Scene(4);
    const day = 24 * 3_600_000;
    const error = scene.fail("usage_limit", { resetsAt: new Date(scene.date + 2 * day) });
    scene.date += day;
    expect([scene.throttle.usageLimit, scene.throttle.msUntilOpen()]).toEqual([error, day]);
    scene.date += day;
    const { usageLimit, pausedUntil } = scene.throttle;
    expect([usageLimit, pausedUntil, scene.throttle.msUntilOpen()]).toEqual([undefined, 0, 0]);
  });

  it("does not last longer when the system clock is set back", () => {
    const scene = new Scene(4);
    scene.fail("usage_limit", { resetsAt: new Date(scene.date + 5000) });
    scene.date -= 400 * 24 * 3_600_000;
    expect(scene.throttle.msUntilOpen()).toBe(5000);
    scene.ms += 5000;
    expect([scene.throttle.usageLimit, scene.throttle.pausedUntil]).toEqual([undefined, 0]);
  });

  it.each<[string, number | undefined]>([
    ["is not known", undefined],
    ["is in the past", -1],
    ["makes no sense", Number.NaN],
  ])("lasts about a minute if resetsAt %s", (_how, inMs) => {
    const scene = new Scene(4);
    const facts = inMs === undefined ? {} : { resetsAt: new Date(scene.date + inMs) };
    const error = scene.fail("usage_limit", facts);
    expect([scene.throttle.usageLimit, scene.throttle.msUntilOpen()]).toEqual([error, 60_000]);
    scene.ms += 60_000;
    scene.part = 0;
    scene.fail("usage_limit", facts);
    expect(scene.throttle.msUntilOpen()).toBe(30_000);
  });

  it("lasts as long as the longer of two limits", () => {
    const scene = new Scene(4);
    const at = (ms: number) => ({ resetsAt: new Date(scene.date + ms) });
    scene.fail("usage_limit", at(100_000));
    const longest = scene.fail("usage_limit", at(900_000));
    for (const facts of [at(500_000), {}]) scene.fail("usage_limit", facts);
    expect([scene.throttle.usageLimit, scene.throttle.msUntilOpen()]).toEqual([longest, 900_000]);
  });

  it("reports no error once it is over, though a rate limit still pauses", () => {
    const scene = new Scene(4);
    scene.fail("usage_limit", { resetsAt: new Date(scene.date + 5000) });
    scene.part = 0;
    scene.fail("rate_limited", { retryAfterMs: 9000 });
    expect(scene.throttle.msUntilOpen()).toBe(9000);
    scene.ms += 6000;
    expect([scene.throttle.usageLimit, scene.throttle.msUntilOpen()]).toEqual([undefined, 3000]);
  });

  it("is split if it is longer than the longest timer", () => {
    const scene = new Scene(4);
    scene.fail("usage_limit", { resetsAt: new Date(scene.date + 1e11) });
    expect(scene.throttle.msUntilOpen()).toBe(2 ** 31 - 1);
  });
});

it("Throttle keeps its limit an integer between 1 and the maximum", () => {
  const codes = fc.constantFrom<ErrorCode>("rate_limited", "overloaded", "usage_limit", "auth");
  const event = fc.record({ code: fc.option(codes), age: fc.nat(3000), passes: fc.nat(5000) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 }), fc.array(event), (concurrency, events) => {
      const scene = new Scene(concurrency);
      for (const { code, age, passes } of events) {
        scene.ms += passes;
        if (code === null) scene.succeed(1, scene.ms - age);
        else scene.fail(code, {}, scene.ms - age);
        const { limit } = scene.throttle;
        expect(Number.isInteger(limit) && limit >= 1 && limit <= concurrency).toBe(true);
        const ms = scene.throttle.msUntilOpen();
        expect(ms > 0).toBe(scene.throttle.pausedUntil > scene.ms);
      }
    }),
  );
});

it("Throttle uses the clocks of Node by default", () => {
  const throttle = new Throttle({ concurrency: 2 });
  const resetsAt = new Date(Date.now() + 600_000);
  throttle.failed(new HawserError("usage_limit", undefined, { resetsAt }), performance.now());
  expect(throttle.msUntilOpen()).toBeLessThanOrEqual(600_000);
  expect(throttle.msUntilOpen()).toBeGreaterThan(500_000);
});
