import { APICallError, generateText, LoadAPIKeyError, NoSuchModelError, streamText } from "ai";
import { always, apiError, hang } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld({
  env: { extra: { CLAUDE_CODE_MAX_RETRIES: "0" } },
});
const prompt = "Name a knot.";

describe("errors of hawser in the AI SDK", () => {
  it("repeats an overloaded call as often as maxRetries says", async () => {
    world.script(apiError(529, { retryAfter: 0 }), "A bowline.");
    const { text } = await generateText({ model: world.model(), prompt, maxRetries: 1 });
    expect(text).toBe("A bowline.");
    expect(world.calls).toHaveLength(2);
  });

  it("repeats a streamed call that failed before it began", async () => {
    world.script(apiError(529), "A bowline.");
    const result = streamText({ model: world.model(), prompt, maxRetries: 1 });
    expect(await result.text).toBe("A bowline.");
    expect(world.calls).toHaveLength(2);
  });

  it("does not repeat what cannot succeed", async () => {
    world.script(always(apiError(413)));
    const call = generateText({ model: world.model(), prompt, maxRetries: 2 });
    await expect(call).rejects.toSatisfy(
      (error) => APICallError.isInstance(error) && !error.isRetryable,
    );
    expect(world.calls).toHaveLength(1);
  });

  it("makes a refused key a LoadAPIKeyError, and does not repeat it", async () => {
    world.script(always(apiError(401)));
    const call = generateText({ model: world.model(), prompt, maxRetries: 2 });
    await expect(call).rejects.toSatisfy((error) => {
      return LoadAPIKeyError.isInstance(error) && (error.cause as { code: string }).code === "auth";
    });
    expect(world.calls).toHaveLength(1);
  });

  it("makes an unknown model a NoSuchModelError", async () => {
    world.script(always(apiError(404, { message: "model: claude-nothing" })));
    const call = generateText({ model: world.model("claude-nothing"), prompt, maxRetries: 2 });
    await expect(call).rejects.toSatisfy((error) => NoSuchModelError.isInstance(error));
  });

  it("rejects with the reason of the signal", async () => {
    world.script(hang());
    const controller = new AbortController();
    const reason = new Error("The user left.");
    const call = world.model().doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      abortSignal: controller.signal,
    });
    await world.nextCall();
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    const late = world.model().doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: prompt }] }],
      abortSignal: controller.signal,
    });
    await expect(late).rejects.toBe(reason);
  });

  it("says in one sentence that the CLI is missing", async () => {
    const call = generateText({
      model: world.model(),
      prompt,
      maxRetries: 0,
      providerOptions: { hawser: { cliPath: "/nowhere/claude" } },
    });
    await expect(call).rejects.toMatchObject({
      name: "AI_APICallError",
      isRetryable: false,
      cause: { code: "cli_not_found" },
    });
  });
});
