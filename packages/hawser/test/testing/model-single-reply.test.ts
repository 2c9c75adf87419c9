import { describe, expect, it, onTestFinished } from "vitest";
import { always, apiError, SimulatedModel, usageLimit } from "../../src/testing/index.js";

async function answer(replies: Parameters<typeof SimulatedModel.start>[0]): Promise<string[]> {
  const model = await SimulatedModel.start(replies);
  onTestFinished(() => model.close());
  const ask = async () => {
    const response = await fetch(`${model.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({
        model: "m",
        max_tokens: 9,
        messages: [{ role: "user", content: "x" }],
      }),
    });
    return response.text();
  };
  return [await ask(), await ask()];
}

describe("SimulatedModel `replies`", () => {
  it("may be one text for one call", async () => {
    const model = await SimulatedModel.start({ replies: "hello" });
    expect(() => model.assertDone()).toThrow("1 scripted reply was never asked for");
    await model.close();
  });

  it("may be one reply for every call, by always()", async () => {
    for (const text of await answer({ replies: always("hello") })) expect(text).toContain("hello");
  });

  it("may be an error for every call", async () => {
    for (const text of await answer({ replies: always(apiError(529)) })) {
      expect(text).toContain("overloaded_error");
    }
  });

  it("that are invalid are refused before a server is started", async () => {
    await expect(SimulatedModel.start({ replies: 5 as never })).rejects.toThrow("replies must be");
  });

  it("of usageLimit() need no resetsAt", () => {
    expect(usageLimit().headers["anthropic-ratelimit-unified-status"]).toBe("rejected");
  });
});
