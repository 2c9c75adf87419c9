import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateText, type ModelMessage } from "ai";
import { reply, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { aiWorld } from "../support/ai-world.js";
import { Conversation, outline, requestMessages } from "./conversation.helper.js";

const world = aiWorld({ pool: { size: { min: 1, max: 3 } } });
const inFolder = (name: string) => join(world.place.cwd, name);
const bash = (command: string) => toolUse("Bash", { command, description: "runs" });

describe("tool-approval-request of hawser.agent()", () => {
  it("denies a call with the reason, then allows another one, which runs exactly once", async () => {
    world.script(bash("echo run >> runs.txt"), "Then not.", bash("echo run >> runs.txt"), "Done.");
    const talk = new Conversation(world.checked(world.hawser.agent("sonnet")));
    const asked = await talk.say("Run it.");
    expect(outline(asked)).toEqual([
      "tool-input-start Bash",
      "tool-call Bash",
      "tool-approval-request Bash",
      "finish tool-calls",
    ]);
    const request = world.streams[0]?.parts.find(({ type }) => type === "tool-approval-request");
    expect(request).toMatchObject({
      providerMetadata: { hawser: { kind: "tool", summary: "Bash echo run >> runs.txt" } },
    });
    const denied = await talk.decide(false, "Use the other file.");
    expect(outline(denied)).toEqual([
      "tool-output-denied Bash",
      "text-start",
      "text-end",
      "finish stop",
    ]);
    expect(existsSync(inFolder("runs.txt"))).toBe(false);
    expect(world.calls[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining("Use the other file.") },
    ]);

    await talk.say("Try again.");
    const allowed = await talk.decide(true);
    expect(outline(allowed)).toEqual(["tool-result Bash", "text-start", "text-end", "finish stop"]);
    expect(readFileSync(inFolder("runs.txt"), "utf8")).toBe("run\n");
    expect(allowed.text).toBe("Done.");
    // The denied call is told as denied, once.
    const replayed = JSON.stringify(requestMessages(world.calls[2]?.body));
    expect(replayed.match(/Use the other file\./g)).toHaveLength(1);
  });

  it("asks nothing if the rules of the agent allow the call", async () => {
    world.script(bash("echo yes"), "Done.");
    const model = world.checked(world.hawser.agent("sonnet", { allowedTools: ["Bash(echo *)"] }));
    const said = await new Conversation(model).say("Run it.");
    expect(outline(said)).not.toContain("tool-approval-request Bash");
    expect(said.text).toBe("Done.");
  });

  it("lets canUseTool of the agent decide, if there is one", async () => {
    world.script(bash("touch never.txt"), "Refused.");
    const asked: string[] = [];
    const model = world.hawser.agent("sonnet", {
      canUseTool: async (tool) => {
        asked.push(tool);
        return { behavior: "deny", message: "Not today." };
      },
    });
    const said = await new Conversation(world.checked(model)).say("Run it.");
    expect(asked).toEqual(["Bash"]);
    expect(outline(said)).toEqual([
      "tool-input-start Bash",
      "tool-call Bash",
      "tool-error Bash",
      "text-start",
      "text-end",
      "finish stop",
    ]);
    expect(existsSync(inFolder("never.txt"))).toBe(false);
  });

  // If the CLI takes longer than a second to ask, the call behind the question is shown before it.
  it("shows a call that waits behind the question in the step in which it runs", {
    retry: 3,
  }, async () => {
    world.script(
      reply([bash("echo a >> order.txt"), toolUse("Read", { file_path: inFolder("order.txt") })]),
      "Done.",
    );
    const talk = new Conversation(
      world.checked(world.hawser.agent("sonnet", { allowedTools: ["Read"] })),
    );
    const asked = await talk.say("Go.");
    expect(outline(asked)).toEqual([
      "tool-input-start Bash",
      "tool-call Bash",
      "tool-approval-request Bash",
      "finish tool-calls",
    ]);
    expect(outline(await talk.decide(true))).toEqual([
      "tool-result Bash",
      "tool-input-start Read",
      "tool-call Read",
      "tool-result Read",
      "text-start",
      "text-end",
      "finish stop",
    ]);
  });

  it("asks about two calls one after the other, and counts the usage of each step once", async () => {
    const usage = { usage: { input_tokens: 100, output_tokens: 20 } };
    world.script(
      reply([bash("echo 1 >> two.txt"), bash("echo 2 >> two.txt")], usage),
      reply("Both.", usage),
    );
    const model = world.hawser.agent("sonnet");
    const messages: ModelMessage[] = [{ role: "user", content: "Go." }];
    const totals: (number | undefined)[] = [];
    for (;;) {
      const { response, content, usage: used, text } = await generateText({ model, messages });
      totals.push(used.inputTokens);
      messages.push(...response.messages);
      const [request] = content.filter((part) => part.type === "tool-approval-request");
      if (request === undefined) {
        expect(text).toBe("Both.");
        break;
      }
      const { approvalId } = request;
      messages.push({
        role: "tool",
        content: [
          { type: "tool-approval-response", approvalId, approved: true, providerExecuted: true },
        ],
      });
    }
    expect(totals).toEqual([100, 0, 100]);
    expect(readFileSync(inFolder("two.txt"), "utf8")).toBe("1\n2\n");
  });

  it("warns if the answer is missing, because the AI SDK has left it out", async () => {
    world.script(bash("touch dropped.txt"), "Not run.");
    const model = world.hawser.agent("sonnet");
    const messages: ModelMessage[] = [{ role: "user", content: "Go." }];
    const asked = await generateText({ model, messages });
    messages.push(...asked.responseMessages);
    for (const part of asked.content) {
      if (part.type !== "tool-approval-request") continue;
      const { approvalId } = part;
      const content = [{ type: "tool-approval-response" as const, approvalId, approved: true }];
      messages.push({ role: "tool", content });
    }
    const { text, warnings } = await generateText({ model, messages });
    expect(text).toBe("Not run.");
    expect(warnings).toMatchObject([
      { type: "compatibility", details: expect.stringContaining("providerExecuted") },
    ]);
    expect(existsSync(inFolder("dropped.txt"))).toBe(false);
  });

  it("takes the reason of an approved question of the model as its answer", async () => {
    const question = {
      question: "Which way?",
      header: "Way",
      multiSelect: false,
      options: [
        { label: "Left", description: "l" },
        { label: "Right", description: "r" },
      ],
    };
    world.script(toolUse("AskUserQuestion", { questions: [question] }), "Left it is.");
    const talk = new Conversation(world.checked(world.hawser.agent("sonnet")));
    await talk.say("Go.");
    expect((await talk.decide(true, "Left")).text).toBe("Left it is.");
    expect(world.calls[1]?.toolResults[0]?.text).toMatch(/Which way\?.*Left/s);
  });
});
