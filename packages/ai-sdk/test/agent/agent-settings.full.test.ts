import { generateText, Output, streamText } from "ai";
import { toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";

const world = aiWorld({ pool: { size: { min: 1, max: 3 } } });
const bash = toolUse("Bash", { command: "echo two", description: "counts" });

describe("settings of hawser.agent()", () => {
  it("warns of what has no effect, and adds the system prompt to that of the CLI", async () => {
    world.script("Hello.");
    const { warnings } = await generateText({
      model: world.hawser.agent("sonnet"),
      instructions: "You know all about knots.",
      prompt: "Hi.",
      temperature: 0.5,
      stopSequences: ["END"],
      maxOutputTokens: 100,
      providerOptions: { hawser: { parallelToolCalls: false } },
    });
    expect(warnings?.map((warning) => ("feature" in warning ? warning.feature : ""))).toEqual([
      "maxOutputTokens",
      "temperature",
      "stopSequences",
      "parallelToolCalls",
    ]);
    expect(world.calls[0]?.system).toContain("You know all about knots.");
    expect(world.calls[0]?.system).toContain("Claude Code");
    expect(world.calls[0]?.tools).toContain("Bash");
  });

  it("gives a value by schema after the agent has worked", async () => {
    const value = { knots: 2 };
    world.script(bash, toolUse("StructuredOutput", value), "Done.");
    const output = Output.object({ schema: z.object({ knots: z.number() }) });
    const model = world.checked(world.hawser.agent("sonnet", { allowedTools: ["Bash"] }));
    const result = streamText({ model, prompt: "How many?", output });
    await result.consumeStream();
    expect(await result.output).toEqual(value);
    const calls = await result.toolCalls;
    expect(calls.map(({ toolName }) => toolName)).toEqual(["Bash"]);
  });

  it("gives JSON without a schema as the model wrote it", async () => {
    world.script(toolUse("StructuredOutput", { value: ["bowline"] }), "Done.");
    const model = world.hawser.agent("sonnet");
    const result = await generateText({ model, prompt: "Which?", output: Output.json() });
    expect(result.output).toEqual(["bowline"]);
  });

  it("stops at maxTurns with the finish reason other", async () => {
    world.script(bash, bash, bash);
    const model = world.hawser.agent("sonnet", { allowedTools: ["Bash"], maxTurns: 1 });
    const result = await generateText({ model, prompt: "Count." });
    expect(result.finishReason).toBe("other");
    expect(result.rawFinishReason).toBe("max_turns");
  });

  it("fails before anything is started if its folder does not exist", async () => {
    const model = world.hawser.agent("sonnet", { cwd: "/nowhere/at/all" });
    const failed = generateText({ model, prompt: "Hi.", maxRetries: 0 });
    await expect(failed).rejects.toThrow("/nowhere/at/all");
    expect(world.calls).toEqual([]);
  });

  it("refuses a limit that is no positive number", async () => {
    const model = world.hawser.agent("sonnet", { parkedMs: Number.NaN });
    const failed = generateText({ model, prompt: "Hi.", maxRetries: 0 });
    await expect(failed).rejects.toThrow("`parkedMs`");
  });

  it("takes settings of one call from providerOptions, and refuses those that it does not know", async () => {
    world.script("Hello.");
    const model = world.hawser.agent("sonnet");
    const call = { model, prompt: "Hi.", maxRetries: 0 };
    await generateText({ ...call, providerOptions: { hawser: { tenant: "alice" } } });
    expect(Object.keys(world.pool.stats().spentUsdByTenant)).toContain("alice");
    const failed = generateText({ ...call, providerOptions: { hawser: { tenat: "alice" } } });
    await expect(failed).rejects.toThrow("`tenat`");
  });
});
