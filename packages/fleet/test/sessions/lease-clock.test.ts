import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LeaseClock } from "../../src/sessions/lease-clock.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("LeaseClock", () => {
  it("is sure for half of the lease, and over 2.5 s before its end", () => {
    const clock = new LeaseClock(10_000);
    expect(clock).toMatchObject({ isSure: true, isOver: false, remainingMs: 7_500 });
    vi.advanceTimersByTime(5_000);
    expect(clock).toMatchObject({ isSure: false, isOver: false, remainingMs: 2_500 });
    vi.advanceTimersByTime(2_500);
    expect(clock).toMatchObject({ isSure: false, isOver: true });
  });

  it("counts a renewal from the moment it was sent", () => {
    const clock = new LeaseClock(10_000);
    vi.advanceTimersByTime(2_000);
    const sentAt = LeaseClock.now();
    vi.advanceTimersByTime(3_000);
    clock.renewed(sentAt);
    expect(clock.remainingMs).toBe(4_500);
    // An answer that comes late does not take a newer renewal back.
    clock.renewed({ monotonicMs: sentAt.monotonicMs - 1_000, wallMs: sentAt.wallMs - 1_000 });
    expect(clock.remainingMs).toBe(4_500);
  });

  it.each([
    ["set forward, as after a sleep of the machine", 3_600_000],
    ["set back", -3_600_000],
  ])("is not sure, and not over, when the clock is %s", (_name, byMs) => {
    const clock = new LeaseClock(10_000);
    vi.setSystemTime(Date.now() + byMs);
    expect(clock).toMatchObject({ isSure: false, isOver: false });
    clock.renewed({ monotonicMs: performance.now() + 1, wallMs: Date.now() });
    expect(clock.isSure).toBe(true);
  });
});
