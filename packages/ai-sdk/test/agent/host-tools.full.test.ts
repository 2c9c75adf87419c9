import { stepCountIs, ToolLoopAgent, tool } from "ai";
import { reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { aiWorld } from "../support/ai-world.js";
import { Conversation, outline, requestMessages } from "./conversation.helper.js";

const world = aiWorld({ pool: { size: { min: 1, max: 3 } } });
const bash = (command: string) => toolUse("Bash", { command, description: "runs" });

/** Two tools of the program, and a note of each call. */
function program() {
  const called: string[] = [];
  const weather = tool({
    description: "Tells the weather of a city.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      called.push(`weather ${city}`);
      return { city, sky: city === "Oslo" ? "rain" : "sun" };
    },
  });
  const book = tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }): Promise<string> => {
      called.push(`book ${city}`);
      if (city === "Atlantis") throw new Error("No such city.");
      return `booked ${city}`;
    },
  });
  return { called, tools: { weather, book } };
}

describe("tools of the AI SDK for hawser.agent()", () => {
  it("runs two of them at once, then a third one, in one turn of the CLI over three steps", async () => {
    world.script(
      reply([
        "I look.",
        toolUse("mcp__app__weather", { city: "Oslo" }),
        toolUse("mcp__app__weather", { city: "Rome" }),
      ]),
      reply([bash("echo sunny")]),
      toolUse("mcp__app__book", { city: "Rome" }),
      "Rome it is.",
    );
    const { called, tools } = program();
    const model = world.checked(world.hawser.agent("sonnet", { allowedTools: ["Bash"] }));
    const agent = new ToolLoopAgent({ model, tools, stopWhen: stepCountIs(5) });
    const result = await agent.generate({ prompt: "Where to go?" });
    expect(result.text).toBe("Rome it is.");
    expect(called).toEqual(["weather Oslo", "weather Rome", "book Rome"]);
    const steps = result.steps.map(({ toolCalls, finishReason }) => ({
      calls: toolCalls.map(({ toolName }) => toolName),
      finishReason,
    }));
    expect(steps).toEqual([
      { calls: ["weather", "weather"], finishReason: "tool-calls" },
      { calls: ["Bash", "book"], finishReason: "tool-calls" },
      { calls: [], finishReason: "stop" },
    ]);
    // One turn: each request goes on where the one before ended.
    expect(world.calls).toHaveLength(4);
    expect(world.calls[0]?.tools).toContain("mcp__app__weather");
    expect(world.calls[1]?.toolResults.map(({ text }) => text)).toEqual([
      '{"city":"Oslo","sky":"rain"}',
      '{"city":"Rome","sky":"sun"}',
    ]);
    expect(result.totalUsage.inputTokens).toBe(40);
  });

  it("tells the model of a tool that throws", async () => {
    world.script(toolUse("mcp__app__book", { city: "Atlantis" }), "There is none.");
    const { tools } = program();
    const talk = new Conversation(world.checked(world.hawser.agent("sonnet")), tools);
    expect((await talk.say("Book it.")).text).toBe("There is none.");
    expect(world.calls[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining("No such city.") },
    ]);
  });

  it("ends a step either with calls of the program's tools or with approvals, never with both", async () => {
    world.script(
      reply([toolUse("mcp__app__weather", { city: "Oslo" }), bash("echo hi > mixed.txt")]),
      "Done.",
    );
    const { called, tools } = program();
    const talk = new Conversation(world.checked(world.hawser.agent("sonnet")), tools);
    const said = await talk.say("Go.");
    expect(outline(said)).toEqual([
      "tool-input-start weather",
      "tool-call weather",
      "tool-result weather",
      "finish tool-calls",
      "tool-input-start Bash",
      "tool-call Bash",
      "tool-approval-request Bash",
      "finish tool-calls",
    ]);
    expect((await talk.decide(true)).text).toBe("Done.");
    expect(called).toEqual(["weather Oslo"]);
  });

  it("sends their calls and results again under the names that the model knows", async () => {
    world.script(toolUse("mcp__app__weather", { city: "Oslo" }), "Rain.", "Yes.");
    const { tools } = program();
    const talk = new Conversation(world.checked(world.hawser.agent("sonnet")), tools);
    await talk.say("Weather?");
    await talk.say("Sure?");
    const text = JSON.stringify(requestMessages(world.calls[2]?.body));
    expect(text).toContain('"name":"mcp__app__weather"');
    expect(text).not.toContain('"name":"weather"');
  });

  it("leaves the tools of the caller and of the CLI out with toolChoice none", async () => {
    world.script("No tools.");
    const { tools } = program();
    const model = world.checked(world.hawser.agent("sonnet"));
    const agent = new ToolLoopAgent({ model, tools, toolChoice: "none" });
    expect((await agent.generate({ prompt: "Hi." })).text).toBe("No tools.");
    expect(world.calls[0]?.tools).toEqual([]);
  });
});
