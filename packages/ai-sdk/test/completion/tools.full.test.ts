import { generateText, jsonSchema, stepCountIs, streamText, ToolLoopAgent, tool } from "ai";
import { type RecordedRequest, reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";
import { PIXEL } from "../support/pixel.js";

const world = aiWorld();

const weather = tool({
  description: "The weather of a town.",
  inputSchema: z.object({ town: z.string() }),
  execute: ({ town }) => ({ town, degrees: town.length }),
});
const tide = tool({
  description: "The tide of a port.",
  inputSchema: z.object({ port: z.string() }),
  execute: ({ port }) => `high at ${port}`,
});

/** The tool results of the last message, as the model got them. */
function resultsOf(call: RecordedRequest | undefined): readonly string[] {
  return call?.toolResults.map(({ text }) => text) ?? [];
}

describe("tools of the AI SDK on hawser", () => {
  it("lets a ToolLoopAgent call two tools in parallel, over three steps", async () => {
    world.script(
      reply(
        ["Let me see.", toolUse("weather", { town: "Kiel" }), toolUse("tide", { port: "Kiel" })],
        {
          usage: { input_tokens: 100, output_tokens: 10 },
        },
      ),
      reply([toolUse("weather", { town: "Bremen" }), toolUse("tide", { port: "Bremen" })], {
        usage: { input_tokens: 200, output_tokens: 20 },
      }),
      reply("Kiel is better.", { usage: { input_tokens: 300, output_tokens: 30 } }),
    );
    const agent = new ToolLoopAgent({
      model: world.model(),
      instructions: "You plan trips.",
      tools: { weather, tide },
    });
    const { text, steps, usage } = await agent.generate({ prompt: "Kiel or Bremen?" });
    expect(text).toBe("Kiel is better.");
    expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
      ["weather", "tide"],
      ["weather", "tide"],
      [],
    ]);
    expect(
      steps.flatMap(({ content }) => content).filter((part) => "invalid" in part && part.invalid),
    ).toEqual([]);
    expect(world.calls.map(({ tools }) => [...tools].sort())).toEqual([
      ["tide", "weather"],
      ["tide", "weather"],
      ["tide", "weather"],
    ]);
    expect(resultsOf(world.calls[1])).toEqual(['{"town":"Kiel","degrees":4}', "high at Kiel"]);
    expect(resultsOf(world.calls[2])).toEqual(['{"town":"Bremen","degrees":6}', "high at Bremen"]);
    expect(usage).toMatchObject({ inputTokens: 600, outputTokens: 60, totalTokens: 660 });
  });

  it("streams the same loop", async () => {
    world.script(
      [toolUse("weather", { town: "Kiel" }), toolUse("tide", { port: "Kiel" })],
      [toolUse("tide", { port: "Bremen" })],
      "Kiel is better.",
    );
    const agent = new ToolLoopAgent({ model: world.model(), tools: { weather, tide } });
    const result = await agent.stream({ prompt: "Kiel or Bremen?" });
    expect(await result.text).toBe("Kiel is better.");
    expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual([
      "tool-calls",
      "tool-calls",
      "stop",
    ]);
    expect(world.streams).toHaveLength(3);
  });

  it("sends the error of a tool to the model as an error", async () => {
    world.script(toolUse("fail", {}), "Sorry.");
    const fail = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error("The rope broke.");
      },
    });
    await generateText({
      model: world.model(),
      prompt: "Pull.",
      tools: { fail },
      stopWhen: stepCountIs(2),
    });
    expect(world.calls[1]?.toolResults).toMatchObject([
      { text: "Error: The rope broke.", isError: true },
    ]);
  });

  it("sends a tool result with an image as an image", async () => {
    world.script(toolUse("look", {}), "A knot.");
    const look = tool({
      inputSchema: z.object({}),
      execute: () => PIXEL,
      toModelOutput: ({ output }) => ({
        type: "content",
        value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: output } }],
      }),
    });
    await generateText({
      model: world.model(),
      prompt: "Look.",
      tools: { look },
      stopWhen: stepCountIs(2),
    });
    expect(JSON.stringify(world.calls[1]?.body)).toContain(
      `"media_type":"image/png","data":"${PIXEL}"`,
    );
  });

  it("calls a tool whose input has no properties", async () => {
    world.script(toolUse("now", {}), "Noon.");
    const now = tool({ inputSchema: z.object({}), execute: () => "noon" });
    const result = streamText({
      model: world.model(),
      prompt: "What time is it?",
      tools: { now },
      stopWhen: stepCountIs(2),
    });
    expect(await result.text).toBe("Noon.");
    expect(resultsOf(world.calls[1])).toEqual(["noon"]);
  });

  it("puts input examples into the description, and warns of strict", async () => {
    world.script("Nothing to tie.");
    const tie = {
      description: "Ties a knot.",
      inputSchema: jsonSchema<{ knot: string }>({
        type: "object",
        properties: { knot: { type: "string" } },
      }),
      inputExamples: [{ input: { knot: "bowline" } }],
      strict: true,
    };
    const { warnings } = await generateText({
      model: world.model(),
      prompt: "Hello.",
      tools: { tie },
    });
    const { tools } = world.asked();
    // The CLI writes the blank line with a space.
    expect(tools?.[0]?.description).toMatch(
      /^Ties a knot\.\n ?\nExamples of the input:\n\{"knot":"bowline"\}$/,
    );
    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "strict mode of the tool tie" },
    ]);
  });

  it("warns of a tool of another provider and leaves it out", async () => {
    world.script("Nothing to search.");
    const search = {
      type: "provider",
      id: "openai.web_search",
      isProviderExecuted: true,
      args: {},
    } as const;
    const { warnings } = await generateText({
      model: world.model(),
      prompt: "Hello.",
      tools: { search: search as never },
    });
    expect(world.calls[0]?.tools).toEqual([]);
    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "provider-defined tool openai.web_search" },
    ]);
  });

  it("shows only the first call with parallelToolCalls: false", async () => {
    world.script([toolUse("weather", { town: "Kiel" }), toolUse("tide", { port: "Kiel" })]);
    const { toolCalls } = await generateText({
      model: world.model(),
      prompt: "Kiel?",
      tools: { weather, tide },
      providerOptions: { hawser: { parallelToolCalls: false } },
    });
    expect(toolCalls.map(({ toolName }) => toolName)).toEqual(["weather"]);
  });
});

describe("toolChoice on hawser", () => {
  const tools = {
    weather: { inputSchema: z.object({ town: z.string() }) },
    tide: { inputSchema: z.object({ port: z.string() }) },
  };

  it("auto: lets the model decide", async () => {
    world.script("No need.");
    const { text } = await generateText({
      model: world.model(),
      prompt: "Hello.",
      tools,
      toolChoice: "auto",
    });
    expect(text).toBe("No need.");
  });

  it("none: gives the model no tools, and keeps the calls of the conversation", async () => {
    world.script("It was 4 degrees.");
    const { text } = await generateText({
      model: world.model(),
      tools,
      toolChoice: "none",
      messages: [
        { role: "user", content: "Kiel?" },
        {
          role: "assistant",
          content: [
            { type: "tool-call", toolCallId: "t1", toolName: "weather", input: { town: "Kiel" } },
          ],
        },
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "t1",
              toolName: "weather",
              output: { type: "text", value: "4" },
            },
          ],
        },
      ],
    });
    expect(text).toBe("It was 4 degrees.");
    expect(world.calls[0]?.tools).toEqual([]);
    expect(world.calls[0]?.toolResults).toMatchObject([{ toolUseId: "t1", text: "4" }]);
  });

  it.each(["generateText", "streamText"] as const)(
    "required: %s gives a call of one of the tools",
    async (name) => {
      world.script(
        toolUse("StructuredOutput", { call: { tool: "tide", input: { port: "Kiel" } } }),
      );
      const options = {
        model: world.model(),
        prompt: "Kiel?",
        tools,
        toolChoice: "required",
      } as const;
      const result = name === "generateText" ? await generateText(options) : streamText(options);
      expect(await result.toolCalls).toMatchObject([{ toolName: "tide", input: { port: "Kiel" } }]);
      expect(await result.finishReason).toBe("tool-calls");
    },
  );

  it.each(["generateText", "streamText"] as const)(
    "tool: %s gives a call of the named tool",
    async (name) => {
      world.script(toolUse("StructuredOutput", { town: "Kiel" }));
      const options = {
        model: world.model(),
        prompt: "Kiel?",
        tools,
        toolChoice: { type: "tool", toolName: "weather" },
      } as const;
      const result = name === "generateText" ? await generateText(options) : streamText(options);
      expect(await result.toolCalls).toMatchObject([
        { toolName: "weather", input: { town: "Kiel" } },
      ]);
      expect(await result.finishReason).toBe("tool-calls");
    },
  );
});
