import { describe, expect, it } from "vitest";
import { ResetWaits } from "../../src/pool/workers/reset-waits.js";

/** Adds waits of the same length, each after a pause, and returns after how many a process pays off. */
function waitsUntilPaid(waitedMs: number, pauseMs: number, startMs: number): number {
  let now = 0;
  const waits = new ResetWaits(() => now);
  for (let count = 1; count <= 1_000; count += 1) {
    if (waits.add("key", waitedMs, startMs)) return count;
    now += pauseMs;
  }
  return Number.POSITIVE_INFINITY;
}

describe("ResetWaits", () => {
  it("finds that a process pays off when calls have waited as long as its start takes", () => {
    expect(waitsUntilPaid(25, 0, 400)).toBe(16);
    expect(waitsUntilPaid(400, 0, 400)).toBe(1);
  });

  it("finds that a process pays off later, or never, when the calls come seldom", () => {
    expect(waitsUntilPaid(25, 500, 400)).toBeGreaterThan(16);
    expect(waitsUntilPaid(25, 500, 400)).toBeLessThan(30);
    expect(waitsUntilPaid(25, 5_000, 400)).toBe(Number.POSITIVE_INFINITY);
  });

  it("counts from zero after a process has paid off", () => {
    const waits = new ResetWaits(() => 0);
    expect([waits.add("a", 10, 10), waits.add("a", 9, 10), waits.add("a", 1, 10)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("counts each set of options by itself, and the latest hundred", () => {
    const waits = new ResetWaits(() => 0);
    waits.add("first", 9, 10);
    expect(waits.add("other", 9, 10)).toBe(false);
    for (let n = 0; n < 99; n += 1) waits.add(`${n}`, 1, 10);
    expect([waits.add("first", 1, 10), waits.add("98", 9, 10)]).toEqual([false, true]);
  });
});
