import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateText } from "ai";
import { reply, thinking, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";
import { Conversation, outline, requestMessages } from "./conversation.helper.js";

const world = aiWorld({ pool: { size: { min: 1, max: 3 } } });
const inFolder = (name: string) => join(world.place.cwd, name);
const agent = (settings: Parameters<typeof world.hawser.agent>[1] = {}) =>
  world.checked(world.hawser.agent("sonnet", settings));
const bash = (command: string, id?: string) =>
  toolUse("Bash", { command, description: "runs" }, id === undefined ? {} : { id });

describe("hawser.agent()", () => {
  it("shows the tools of the CLI as calls and results of the provider, between closed texts", async () => {
    writeFileSync(inFolder("knots.txt"), "bowline\n");
    world.script(
      reply(["I look.", toolUse("Read", { file_path: inFolder("knots.txt") })], { chunks: 3 }),
      reply(["Now I count.", bash("echo one > count.txt; echo counted")]),
      "A bowline.",
    );
    const talk = new Conversation(agent({ allowedTools: ["Read", "Bash"] }));
    const said = await talk.say("Which knot?");
    expect(outline(said)).toEqual([
      "text-start",
      "text-end",
      "tool-input-start Read",
      "tool-call Read",
      "tool-result Read",
      "text-start",
      "text-end",
      "tool-input-start Bash",
      "tool-call Bash",
      "tool-result Bash",
      "text-start",
      "text-end",
      "finish stop",
    ]);
    expect(said.text).toBe("I look.Now I count.A bowline.");
    expect(readFileSync(inFolder("count.txt"), "utf8")).toBe("one\n");
    const tools = said.parts.filter((part) => /^tool-(input-start|call|result)$/.test(part.type));
    for (const part of tools) expect(part).toMatchObject({ providerExecuted: true, dynamic: true });
    expect(said.parts).not.toContainEqual(expect.objectContaining({ invalid: true }));
    const results = said.parts.filter((part) => part.type === "tool-result");
    expect(results.map(({ output }) => output)).toEqual([
      expect.stringContaining("bowline"),
      "counted",
    ]);
  });

  it("reports a tool that fails as a tool-error of the provider, and goes on", async () => {
    world.script(bash("echo broken >&2; exit 3"), "It failed.");
    const said = await new Conversation(agent({ allowedTools: ["Bash"] })).say("Run it.");
    expect(outline(said)).toContain("tool-error Bash");
    const [error] = said.parts.filter((part) => part.type === "tool-error");
    expect(error).toMatchObject({
      providerExecuted: true,
      error: expect.stringContaining("broken"),
    });
    expect(said.text).toBe("It failed.");
  });

  it("gives generateText() the calls and the results, the usage of all rounds, and the facts of the call", async () => {
    const usage = { usage: { input_tokens: 100, output_tokens: 20 } };
    world.script(reply([thinking("Hm."), bash("echo hi")], usage), reply("Done.", usage));
    const model = agent({ allowedTools: ["Bash"] });
    const result = await generateText({ model, prompt: "Go.", reasoning: "low" });
    expect(result.text).toBe("Done.");
    expect(result.reasoningText).toBe("Hm.");
    expect(result.toolCalls).toMatchObject([{ toolName: "Bash", providerExecuted: true }]);
    expect(result.toolResults).toMatchObject([{ toolName: "Bash", output: "hi" }]);
    expect(result.finishReason).toBe("stop");
    expect(result.usage).toMatchObject({ inputTokens: 200, outputTokens: 40 });
    expect(result.finalStep.providerMetadata).toMatchObject({
      hawser: { stop: "completed", turns: 2, credential: "apiKey", permissionDenials: [] },
    });
    expect(result.finalStep.response.modelId).toContain("sonnet");
  });

  it("shows the calls of a sub-agent with the call that started it", async () => {
    const task = {
      description: "count",
      prompt: "Count the knots.",
      subagent_type: "general-purpose",
      run_in_background: false,
    };
    world.script({
      always: ({ body }) => {
        const text = JSON.stringify(requestMessages(body));
        if (text.includes("toolu_agent")) return "There are two.";
        if (!text.includes("Count the knots."))
          return toolUse("Agent", task, { id: "toolu_agent" });
        return text.includes("toolu_inner") ? "Two." : bash("echo two", "toolu_inner");
      },
    });
    const said = await new Conversation(agent({ allowedTools: ["Bash", "Agent"] })).say(
      "How many?",
    );
    expect(said.text).toBe("There are two.");
    const inner = said.parts.filter(
      (part) => "toolCallId" in part && part.toolCallId === "toolu_inner",
    );
    expect(inner.map(({ type }) => type)).toEqual(["tool-call", "tool-result"]);
    for (const part of inner) {
      const metadata = { hawser: { parentToolCallId: "toolu_agent" } };
      expect(part).toMatchObject({
        providerExecuted: true,
        dynamic: true,
        providerMetadata: metadata,
      });
    }
  });

  it("sends the whole conversation to a new process, with its tool calls and without those of sub-agents", async () => {
    world.script(reply(["I run it.", bash("echo hi", "toolu_hi")]), "Done.", "You are welcome.");
    const talk = new Conversation(agent({ allowedTools: ["Bash"] }));
    await talk.say("Run it.");
    await talk.say("Thanks.");
    const told = requestMessages(world.calls[2]?.body).map(({ role, content }) => ({
      role,
      blocks: typeof content === "string" ? content : content.map(blockOf),
    }));
    expect(told).toEqual([
      { role: "user", blocks: expect.arrayContaining(["Run it."]) },
      { role: "assistant", blocks: ["I run it.", "Bash toolu_hi"] },
      { role: "user", blocks: ["result toolu_hi"] },
      { role: "assistant", blocks: ["Done."] },
      { role: "user", blocks: expect.arrayContaining(["Thanks."]) },
    ]);
  });
});

function blockOf(block: { readonly type: string; readonly [field: string]: unknown }): unknown {
  if (block.type === "text") return block["text"];
  if (block.type === "tool_use") return `${block["name"]} ${block["id"]}`;
  return block.type === "tool_result" ? `result ${block["tool_use_id"]}` : block.type;
}
