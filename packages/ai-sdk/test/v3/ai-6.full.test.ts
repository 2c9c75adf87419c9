import { generateText, type LanguageModel, Output, stepCountIs, streamText, tool } from "ai-6";
import { reply, thinking, toolUse } from "hawser/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { createHawser, type HawserProviderV3 } from "../../src/v3/index.js";
import { aiWorld } from "../support/ai-world.js";
import { PIXEL } from "../support/pixel.js";

const world = aiWorld();
let hawser: HawserProviderV3;
beforeAll(() => {
  hawser = createHawser({ ...world.cliOptions, pool: world.pool });
});

/** In this repository, the types of the package are those of `ai` 7. A project with `ai` 6 needs no cast. */
function model(): LanguageModel {
  return hawser("sonnet") as unknown as LanguageModel;
}

describe("ai 6 on hawser", () => {
  it("is a provider with the interface V3", () => {
    expect(hawser.specificationVersion).toBe("v3");
    expect(hawser("sonnet")).toMatchObject({
      specificationVersion: "v3",
      provider: "hawser",
      modelId: "sonnet",
    });
    expect(hawser.agent("sonnet").specificationVersion).toBe("v3");
    expect(() => hawser.embeddingModel("x")).toThrow("No such embeddingModel");
  });

  it("generates text, and sends an image and the result of a tool with an image", async () => {
    world.script([thinking("Hm."), "Look.", toolUse("look", { at: "knot" })], "A bowline.");
    const look = tool({
      inputSchema: z.object({ at: z.string() }),
      execute: () => PIXEL,
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [
          { type: "text", text: "seen" },
          { type: "image-data", mediaType: "image/png", data: output },
        ],
      }),
    });
    const { text, steps, totalUsage } = await generateText({
      model: model(),
      temperature: 1,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image", image: PIXEL },
          ],
        },
      ],
      tools: { look },
      stopWhen: stepCountIs(2),
      providerOptions: { hawser: { effort: "low", thinking: { type: "adaptive" } } },
    });
    expect(text).toBe("A bowline.");
    expect(steps[0]).toMatchObject({ reasoningText: "Hm.", finishReason: "tool-calls" });
    expect(steps[0]?.warnings).toMatchObject([{ type: "unsupported", feature: "temperature" }]);
    expect(totalUsage).toMatchObject({ inputTokens: 20, outputTokens: 10 });
    const sent = JSON.stringify(world.asked(1).messages);
    expect(sent.split(PIXEL)).toHaveLength(3);
    expect(sent).toContain('"thinking":"Hm."');
  });

  it("streams text", async () => {
    world.script(reply("A bowline holds.", { chunks: 3 }));
    const result = streamText({ model: model(), prompt: "Name a knot." });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces).toHaveLength(3);
    expect(pieces.join("")).toBe("A bowline holds.");
    expect(await result.finishReason).toBe("stop");
  });

  it("streams an object", async () => {
    world.script(reply(toolUse("StructuredOutput", { knot: "bowline" }), { chunks: 4 }));
    const result = streamText({
      model: model(),
      prompt: "Name a knot.",
      output: Output.object({ schema: z.object({ knot: z.string() }) }),
    });
    const partials: unknown[] = [];
    for await (const partial of result.partialOutputStream) partials.push(partial);
    expect(partials.length).toBeGreaterThan(1);
    expect(partials.at(-1)).toEqual({ knot: "bowline" });
  });

  it("knows the errors of the other version of @ai-sdk/provider", async () => {
    const { APICallError } = await import("ai-6");
    const call = generateText({
      model: model(),
      prompt: "Hello.",
      maxRetries: 0,
      providerOptions: { hawser: { cliPath: "/nowhere/claude" } },
    });
    await expect(call).rejects.toSatisfy((error) => APICallError.isInstance(error));
  });
});
