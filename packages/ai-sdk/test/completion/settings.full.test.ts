import { generateText } from "ai";
import { toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld();
const prompt = [{ role: "user", content: [{ type: "text", text: "Name a knot." }] }] as never;

describe("settings of a call on hawser", () => {
  it("warns of exactly the settings that have no effect", async () => {
    world.script("A bowline.");
    const { warnings } = await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      presencePenalty: 0.1,
      frequencyPenalty: 0.1,
      seed: 1,
      headers: { "x-test": "1" },
      reasoning: "minimal",
    });
    expect(
      warnings?.map((warning) => [warning.type, "feature" in warning && warning.feature]),
    ).toEqual([
      ["unsupported", "maxOutputTokens"],
      ["unsupported", "temperature"],
      ["unsupported", "topP"],
      ["unsupported", "topK"],
      ["unsupported", "presencePenalty"],
      ["unsupported", "frequencyPenalty"],
      ["unsupported", "seed"],
      ["unsupported", "headers"],
      ["compatibility", "reasoning"],
    ]);
    const { output_config } = world.asked();
    expect(output_config?.effort).toBe("low");
  });

  it("takes settings of one call from providerOptions.hawser", async () => {
    world.script("A bowline.");
    await generateText({
      model: world.model(),
      prompt: "Name a knot.",
      providerOptions: {
        hawser: { effort: "high", thinking: { type: "adaptive" }, tenant: "alice" },
      },
    });
    const body = world.asked();
    expect(body.output_config?.effort).toBe("high");
    expect(body.thinking).toMatchObject({ type: "adaptive" });
    expect(world.pool.stats().spentUsdByTenant["alice"]).toBeGreaterThan(0);
  });

  it("refuses an unknown name in providerOptions.hawser, before anything is sent", async () => {
    const call = generateText({
      model: world.model(),
      prompt: "Name a knot.",
      maxRetries: 2,
      providerOptions: { hawser: { efort: "high" } },
    });
    await expect(call).rejects.toMatchObject({
      name: "AI_APICallError",
      statusCode: 400,
      message: expect.stringContaining("providerOptions.hawser has no setting `efort`"),
    });
    expect(world.calls).toHaveLength(0);
  });

  it("leaves the format out if the model must call a tool, with a warning", async () => {
    world.script(toolUse("StructuredOutput", { knot: "bowline" }));
    const { content, warnings } = await world.model().doGenerate({
      prompt,
      tools: [
        {
          type: "function",
          name: "tie",
          inputSchema: { type: "object", properties: { knot: { type: "string" } } },
        },
      ],
      toolChoice: { type: "required" },
      responseFormat: { type: "json", schema: { type: "object" } },
    });
    expect(content).toMatchObject([{ type: "tool-call", toolName: "tie" }]);
    expect(warnings).toMatchObject([{ type: "compatibility", feature: "responseFormat" }]);
  });
});
