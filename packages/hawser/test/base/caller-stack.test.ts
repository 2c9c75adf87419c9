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
    const before = error.stack;
    const [line = ""] = callerStack().split("\n");
    const held = `${before?.split("\n").at(1)}\n${line}`;
    expect(withCaller(error, held)).toBe(error);
    expect(error.stack).toBe(`${before}\n${line}`);
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
