import { createApprovals } from "hawser";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNativeApi } from "../../src/native/create-native-api.js";
import { mergeChanges } from "../../src/native/merge-changes.js";

/** Yields the items, and tells how many were asked for. */
function source(items: readonly string[]) {
  const state = { asked: 0, isReturned: false };
  const iterable: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        state.asked += 1;
        const value = items[state.asked - 1];
        // Waits for ever after the last one.
        return value === undefined ? new Promise(() => {}) : { done: false, value };
      },
      return: async () => {
        state.isReturned = true;
        return { done: true, value: undefined };
      },
    }),
  };
  return { iterable, state };
}

describe("mergeChanges()", () => {
  const { signal } = new AbortController();

  it("yields the items of all sources, and asks each for one ahead only", async () => {
    const [left, right] = [source(["a", "b", "c"]), source(["1"])];
    const seen: string[] = [];
    for await (const item of mergeChanges([left.iterable, right.iterable], signal)) {
      seen.push(item);
      expect(left.state.asked).toBeLessThanOrEqual(
        seen.filter((each) => /[a-z]/.test(each)).length + 1,
      );
      if (seen.length === 4) break;
    }
    expect(seen.toSorted()).toEqual(["1", "a", "b", "c"]);
    expect([left.state.isReturned, right.state.isReturned]).toEqual([true, true]);
  });

  it("ends when one source ends, and throws the failure of one", async () => {
    async function* ending() {
      yield "last";
    }
    const failing: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")) }),
    };
    const seen: string[] = [];
    for await (const item of mergeChanges([ending(), source([]).iterable], signal)) seen.push(item);
    expect(seen).toEqual(["last"]);
    const failed = mergeChanges([failing, source([]).iterable], signal).next();
    await expect(failed).rejects.toThrow("gone");
  });

  it("waits for the signal without sources", async () => {
    const controller = new AbortController();
    const next = mergeChanges([], controller.signal).next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe("the questions of a program with several approvals", () => {
  it("go on when one of the approvals is closed", async () => {
    const [closed, open] = [createApprovals(), createApprovals()];
    const api = createNativeApi({ approvals: [closed, open] });
    onTestFinished(() => api.close());
    const leave = new AbortController();
    const url = "http://localhost/hawser/v1/approvals/events";
    const response = await api.fetch(new Request(url, { signal: leave.signal }));
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await closed.close();
    const context = { toolUseID: "toolu_1", requestId: "1", signal: leave.signal };
    const asked = Promise.resolve(open.canUseTool("Bash", { command: "ls" }, context));
    asked.catch(() => {});
    let text = "";
    while (!text.includes('"asked"')) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      text += new TextDecoder().decode(value);
    }
    expect(text.match(/"begin"/g)).toHaveLength(1);
    leave.abort();
    await open.close();
  });
});
