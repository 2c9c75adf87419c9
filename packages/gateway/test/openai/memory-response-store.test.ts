import { describe, expect, it, vi } from "vitest";
import { memoryResponseStore } from "../../src/openai/responses/memory-response-store.js";
import { emptyResponse } from "../../src/openai/responses/response-object.js";
import type { StoredResponse } from "../../src/openai/responses/response-store.js";
import { parseResponsesBody } from "../../src/openai/responses/responses-body.js";

function stored(text = ""): StoredResponse {
  const body = parseResponsesBody({ model: "sonnet", input: text, instructions: text });
  return { response: emptyResponse("resp_1", body, 1), earlier: [], input: [], output: [] };
}

describe("memoryResponseStore()", () => {
  it("finds a response for its tenant only", async () => {
    const store = memoryResponseStore();
    const response = stored();
    await store.put("ann", "resp_1", response);
    expect(await store.get("ann", "resp_1")).toBe(response);
    expect(await store.get("bob", "resp_1")).toBeUndefined();
    expect(await store.delete("bob", "resp_1")).toBe(false);
    expect(await store.delete("ann", "resp_1")).toBe(true);
    expect(await store.get("ann", "resp_1")).toBeUndefined();
  });

  it("does not mix up names that hold a separator", async () => {
    const store = memoryResponseStore();
    await store.put('a","b', "c", stored());
    expect(await store.get("a", 'b","c')).toBeUndefined();
  });

  it("drops the response that was not used for the longest time at maxEntries", async () => {
    const store = memoryResponseStore({ maxEntries: 2 });
    await store.put("ann", "1", stored());
    await store.put("ann", "2", stored());
    await store.get("ann", "1");
    await store.put("ann", "3", stored());
    expect(await store.get("ann", "2")).toBeUndefined();
    expect(await store.get("ann", "1")).toBeDefined();
  });

  it("keeps within maxBytes, and does not keep a response that is larger", async () => {
    const store = memoryResponseStore({ maxBytes: 5_000 });
    await store.put("ann", "1", stored("x".repeat(2_000)));
    await store.put("ann", "2", stored("x".repeat(2_000)));
    await store.put("ann", "3", stored("x".repeat(6_000)));
    expect(await store.get("ann", "1")).toBeUndefined();
    expect(await store.get("ann", "2")).toBeDefined();
    expect(await store.get("ann", "3")).toBeUndefined();
  });

  it.each([
    ["maxEntries", { maxEntries: 10 }, ""],
    ["maxBytes", { maxBytes: 30_000 }, "x".repeat(1_000)],
  ])("drops responses of the tenant that uses the most at %s", async (_, limits, text) => {
    const store = memoryResponseStore(limits);
    await store.put("bob", "1", stored(text));
    await store.put("bob", "2", stored(text));
    for (let i = 0; i < 50; i += 1) await store.put("ann", String(i), stored(text));
    expect(await store.get("bob", "1")).toBeDefined();
    expect(await store.get("bob", "2")).toBeDefined();
    expect(await store.get("ann", "0")).toBeUndefined();
    expect(await store.get("ann", "49")).toBeDefined();
    // Bob's share grows up to that of Ann.
    for (let i = 3; i < 6; i += 1) await store.put("bob", String(i), stored(text));
    for (const id of ["1", "2", "3", "4", "5"]) expect(await store.get("bob", id)).toBeDefined();
    expect(await store.get("ann", "49")).toBeDefined();
  });

  it("forgets a response after ttlMs", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const store = memoryResponseStore({ ttlMs: 1_000 });
      await store.put("ann", "1", stored());
      vi.setSystemTime(Date.now() + 1_001);
      expect(await store.get("ann", "1")).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});
