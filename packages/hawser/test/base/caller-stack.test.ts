import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { callerStack, HawserError, traceCaller, withCaller } from "../../src/base/index.js";

const FILE = "caller-stack.test.ts";

describe("callerStack()", () => {
  it("begins with the function that asks for it", () => {
    function publicFunction() {
      return callerStack();
    }
    expect(publicFunction()).toMatch(/^ {4}at publicFunction .*caller-stack\.test\.ts:/);
  });
});

describe("callerStack() in a program with its own Error.prepareStackTrace", () => {
  it("is empty if the stack is no text, or has no frames", () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    try {
      Error.prepareStackTrace = (_error, frames) => frames;
      expect(callerStack()).toBe("");
      Error.prepareStackTrace = () => {
        throw new Error("broken");
      };
      expect(callerStack()).toBe("");
      Error.prepareStackTrace = prepareStackTrace as typeof Error.prepareStackTrace;
      Error.stackTraceLimit = 0;
      expect(callerStack()).toBe("");
    } finally {
      Error.prepareStackTrace = prepareStackTrace as typeof Error.prepareStackTrace;
      Error.stackTraceLimit = stackTraceLimit;
    }
  });
});

describe("traceCaller()", () => {
  it("adds the line of the caller to an error that a timer brings", async () => {
    const failed = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new HawserError("timeout")), 1);
    });
    async function publicFunction() {
      return await traceCaller(failed);
    }
    const error = await publicFunction().catch((it: HawserError) => it);
    expect(error.stack).toMatch(/at publicFunction .*caller-stack\.test\.ts/);
  });

  it("resolves with the value", async () => {
    expect(await traceCaller(sleep(0, "value"))).toBe("value");
  });

  it("passes on a reason that is no error", async () => {
    await expect(traceCaller(Promise.reject("a reason"))).rejects.toBe("a reason");
  });
});

describe("withCaller()", () => {
  it("adds only frames that the stack does not hold yet", () => {
    const error = new HawserError("closed");
    error.stack = "HawserError: x\n    at inner (h.js:1:1)\n    at main (a.js:2:2)";
    const caller = "    at complete (h.js:9:9)\n    at main (a.js:2:2)\n    at first (a.js:3:3)";
    expect(withCaller(error, caller)).toBe(error);
    expect(error.stack).toBe(
      "HawserError: x\n    at inner (h.js:1:1)\n    at main (a.js:2:2)\n    at first (a.js:3:3)",
    );
    expect(withCaller(error, caller)).toBe(error);
  });

  it("keeps the line of a program that called from a timer", () => {
    const timer =
      "    at listOnTimeout (node:internal/timers:5:1)\n    at processTimers (node:internal/timers:9:1)";
    const error = new HawserError("timeout");
    error.stack = `HawserError: x\n    at expire (h.js:1:1)\n${timer}`;
    withCaller(error, `    at complete (h.js:9:9)\n    at tick (a.js:2:2)\n${timer}`);
    expect(error.stack).toContain("    at tick (a.js:2:2)");
  });

  it("shows no other caller in a copy of an error that has one", () => {
    const error = withCaller(new HawserError("closed"), "    at first (a.ts:1:1)");
    const copy = error.withMissing({ sessionId: "s" });
    expect(withCaller(copy, "    at second (b.ts:2:2)").stack).not.toContain("at first");
  });

  it("leaves an error of the program and a frozen error as they are", () => {
    const own = new Error("of a callback");
    const { stack } = own;
    expect(withCaller(own, "    at first (a.ts:1:1)").stack).toBe(stack);
    const frozen = Object.freeze(new HawserError("closed"));
    expect(withCaller(frozen, "    at first (a.ts:1:1)")).toBe(frozen);
  });

  it("gives each further caller of one error a copy with its own line", () => {
    const error = new HawserError("pool_closed", undefined, { sessionId: "s", cause: FILE });
    const first = withCaller(error, "    at first (a.ts:1:1)");
    const second = withCaller(first, "    at second (b.ts:2:2)");
    expect(first).toBe(error);
    expect(second).toMatchObject({ code: "pool_closed", sessionId: "s", cause: FILE });
    expect(first.stack).toContain("at first (a.ts:1:1)");
    expect(first.stack).not.toContain("at second");
    expect(second.stack).toContain("at second (b.ts:2:2)");
    expect(second.stack).not.toContain("at first");
  });
});
