import { describe, expect, it } from "vitest";
import { LONGEST_TIMER_MS, withTimeout } from "../../src/base/index.js";

const never = new Promise<never>(() => {});

describe("withTimeout()", () => {
  it("resolves with the value of a promise that settles in time", async () => {
    expect(await withTimeout(Promise.resolve(1), 60_000, () => "late")).toBe(1);
  });

  it("rejects with the reason of the promise", async () => {
    const failing = Promise.reject(new Error("broken"));
    await expect(withTimeout(failing, 60_000, () => "late")).rejects.toThrow("broken");
  });

  it("resolves with the return value of `late` after the limit", async () => {
    expect(await withTimeout(never, 1, () => "late")).toBe("late");
  });

  it("rejects with the error of `late` after the limit", async () => {
    const late = () => {
      throw new Error("too late");
    };
    await expect(withTimeout(never, 1, late)).rejects.toThrow("too late");
  });

  it("leaves no rejection unhandled when the promise rejects after the limit", async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", listen);
    try {
      let fail = (_: Error) => {};
      const failing = new Promise<never>((_, reject) => {
        fail = reject;
      });
      expect(await withTimeout(failing, 1, () => "late")).toBe("late");
      fail(new Error("after the limit"));
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", listen);
    }
  });

  it("treats a limit that exceeds the longest timer as no limit", async () => {
    const soon = new Promise((resolve) => setTimeout(resolve, 10, "value"));
    expect(await withTimeout(soon, LONGEST_TIMER_MS + 1, () => "late")).toBe("value");
  });
});
