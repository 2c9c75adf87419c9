import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Output, readUIMessageStream, tool } from "ai";
import { always, apiError, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { approvalResponse, harnessWorld, requestIn } from "./support/harness-world.js";

const world = harnessWorld();

describe("HarnessAgent.generate()", () => {
  it("answers on this machine without a sandbox", async () => {
    world.ai.script("A bowline.");
    const agent = world.agent();
    const session = await world.session(agent);
    const { text, usage, finishReason, providerMetadata } = await agent.generate({
      session,
      prompt: "Name a knot.",
    });
    expect(text).toBe("A bowline.");
    expect(finishReason).toBe("stop");
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(providerMetadata?.["hawser"]).toMatchObject({ sessionId: expect.any(String) });
    expect(world.ai.calls[0]?.prompt).toContain("Name a knot.");
  });

  it("keeps one conversation over several turns", async () => {
    world.ai.script("A bowline.", "A sheet bend.");
    const agent = world.agent({ instructions: "Answer like a sailor." });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Name a knot." });
    const { text } = await agent.generate({ session, prompt: "Another one." });
    expect(text).toBe("A sheet bend.");
    const [first, second] = world.ai.calls;
    expect(JSON.stringify(second?.body)).toContain("A bowline.");
    expect(first?.system).toContain("Answer like a sailor.");
  });
});

describe("HarnessAgent.stream()", () => {
  it("shows text, the CLI's own tools and steps, also as a UI message", async () => {
    const file = join(world.ai.place.cwd, "read-me.txt");
    world.ai.script(
      [
        { type: "text", text: "I write it." },
        toolUse("Write", { file_path: file, content: "knots" }),
      ],
      "Done.",
    );
    const agent = world.agent();
    const session = await world.session(agent);
    const result = await agent.stream({ session, prompt: "Write a file." });
    const chunks = result.toUIMessageStream();
    let last: { parts: readonly { type: string }[] } | undefined;
    for await (const message of readUIMessageStream({ stream: chunks })) last = message;
    expect(readFileSync(file, "utf8")).toBe("knots");
    const parts = last?.parts.filter(({ type }) => type !== "step-start") ?? [];
    expect(parts).toMatchObject([
      { type: "text", text: "I write it." },
      {
        type: "tool-write",
        state: "output-available",
        providerExecuted: true,
        input: { file_path: "read-me.txt", content: "knots" },
      },
      { type: "text", text: "Done." },
    ]);
    const steps = await result.steps;
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(steps[0]?.toolCalls.every(({ invalid }) => invalid !== true)).toBe(true);
  });
});

describe("tools of the host", () => {
  it("runs two calls of one step, each exactly once, and the model gets their results", async () => {
    const ran: string[] = [];
    const weather = tool({
      description: "Tells the weather of a city.",
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        ran.push(city);
        return { city, sun: true };
      },
    });
    world.ai.script(
      [
        toolUse("mcp__app__weather", { city: "Oslo" }),
        toolUse("mcp__app__weather", { city: "Rome" }),
      ],
      "Sunny in both.",
    );
    const agent = world.agent({ tools: { weather } });
    const session = await world.session(agent);
    const { text, steps } = await agent.generate({ session, prompt: "Weather?" });
    expect(text).toBe("Sunny in both.");
    expect(ran.sort()).toEqual(["Oslo", "Rome"]);
    expect(steps).toHaveLength(2);
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual([
      { city: "Oslo", sun: true },
      { city: "Rome", sun: true },
    ]);
    const results = world.ai.calls[1]?.toolResults ?? [];
    expect(results.map(({ text }) => text)).toEqual([
      expect.stringContaining("Oslo"),
      expect.stringContaining("Rome"),
    ]);
  });

  it("shows a tool that throws as an error, which the model reads", async () => {
    const fails = tool({
      inputSchema: z.object({}),
      execute: async (): Promise<string> => {
        throw new Error("no rope");
      },
    });
    world.ai.script([toolUse("mcp__app__fails", {})], "Too bad.");
    const agent = world.agent({ tools: { fails } });
    const session = await world.session(agent);
    const { text } = await agent.generate({ session, prompt: "Try." });
    expect(text).toBe("Too bad.");
    expect(world.ai.calls[1]?.toolResults[0]).toMatchObject({ isError: true });
    expect(JSON.stringify(world.ai.calls[1]?.toolResults[0])).toContain("no rope");
  });
});

describe("permissionMode", () => {
  it("asks before an edit, and the tool runs once after it was allowed", async () => {
    const file = join(world.ai.place.cwd, "allowed.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "yes" })], "Written.");
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write." });
    const request = requestIn(first);
    expect(request).toMatchObject({ toolCall: { toolName: "write" } });
    expect(existsSync(file)).toBe(false);
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Write." },
        ...first.responseMessages,
        { role: "tool", content: [approvalResponse(request, true)] },
      ],
    });
    expect(second.text).toBe("Written.");
    expect(readFileSync(file, "utf8")).toBe("yes");
    expect(world.ai.calls).toHaveLength(2);
  });

  it("does not run a tool that was denied, and the model reads the reason", async () => {
    const file = join(world.ai.place.cwd, "denied.txt");
    world.ai.script([toolUse("Write", { file_path: file, content: "no" })], "As you wish.");
    const agent = world.agent({ permissionMode: "allow-reads" });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Write." });
    const request = requestIn(first);
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Write." },
        ...first.responseMessages,
        { role: "tool", content: [approvalResponse(request, false, "Not in this folder.")] },
      ],
    });
    expect(second.text).toBe("As you wish.");
    expect(existsSync(file)).toBe(false);
    expect(JSON.stringify(world.ai.calls[1]?.toolResults)).toContain("Not in this folder.");
  });
});

describe("questions of the model", () => {
  it("are calls of askUserQuestions, and the host's answers reach the model", async () => {
    const asked = {
      questions: [
        {
          question: "Which knot?",
          header: "Knot",
          options: [
            { label: "Bowline", description: "A loop." },
            { label: "Hitch", description: "To a post." },
          ],
          multiSelect: false,
        },
      ],
    };
    world.ai.script([toolUse("AskUserQuestion", asked)], "A hitch it is.");
    const agent = world.agent();
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Tie." });
    const [call] = first.toolCalls;
    expect(call).toMatchObject({
      toolName: "askUserQuestions",
      input: { questions: [{ id: "question_1", question: "Which knot?" }] },
    });
    const output = {
      type: "json" as const,
      value: { action: "answered", answers: { question_1: { optionIds: ["Hitch"] } } },
    };
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Tie." },
        ...first.responseMessages,
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: call?.toolCallId ?? "",
              toolName: "askUserQuestions",
              output,
            },
          ],
        },
      ],
    });
    expect(second.text).toBe("A hitch it is.");
    expect(world.ai.calls[1]?.toolResults[0]?.text).toContain("Hitch");
  });
});

describe("tools without execute", () => {
  it("wait for all results of the step, which the client gives", async () => {
    const pick = tool({ inputSchema: z.object({ what: z.string() }) });
    world.ai.script(
      [toolUse("mcp__app__pick", { what: "rope" }), toolUse("mcp__app__pick", { what: "knot" })],
      "Thanks.",
    );
    const agent = world.agent({ tools: { pick } });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Pick." });
    expect(first.finishReason).toBe("tool-calls");
    expect(first.toolCalls).toHaveLength(2);
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Pick." },
        ...first.responseMessages,
        {
          role: "tool",
          content: first.toolCalls.map(({ toolCallId, toolName }, index) => ({
            type: "tool-result" as const,
            toolCallId,
            toolName,
            output: { type: "text" as const, value: `picked ${index}` },
          })),
        },
      ],
    });
    expect(second.text).toBe("Thanks.");
    const results = world.ai.calls[1]?.toolResults ?? [];
    expect(results.map(({ text }) => text)).toEqual(["picked 0", "picked 1"]);
  });
});

describe("toolApproval", () => {
  it("runs a tool of the host only after it was allowed, and exactly once", async () => {
    let runs = 0;
    const launch = tool({
      inputSchema: z.object({}),
      execute: async () => {
        runs += 1;
        return "launched";
      },
    });
    world.ai.script([toolUse("mcp__app__launch", {})], "Gone.");
    const agent = world.agent({ tools: { launch }, toolApproval: { launch: "user-approval" } });
    const session = await world.session(agent);
    const first = await agent.generate({ session, prompt: "Launch." });
    expect(runs).toBe(0);
    const second = await agent.generate({
      session,
      messages: [
        { role: "user", content: "Launch." },
        ...first.responseMessages,
        { role: "tool", content: [approvalResponse(requestIn(first), true)] },
      ],
    });
    expect(second.text).toBe("Gone.");
    expect(runs).toBe(1);
    expect(world.ai.calls[1]?.toolResults[0]?.text).toContain("launched");
  });
});

describe("activeTools", () => {
  it("leaves inactive tools of the CLI out of the requests", async () => {
    world.ai.script("Nothing to do.");
    const agent = world.agent({ activeTools: ["read", "grep"] });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Look." });
    const names = world.ai.calls[0]?.tools;
    expect(names).toContain("Read");
    expect(names).not.toContain("Write");
    expect(names).not.toContain("Bash");
  });
});

describe("output", () => {
  it("is the value by the schema", async () => {
    world.ai.script([toolUse("StructuredOutput", { name: "bowline" })], "Here it is.");
    const output = Output.object({ schema: z.object({ name: z.string() }) });
    const agent = world.agent({ output });
    const session = await world.session(agent);
    const result = await agent.generate({ session, prompt: "Name a knot." });
    expect(result.output).toEqual({ name: "bowline" });
    expect(result.toolCalls).toEqual([]);
  });
});

describe("skills", () => {
  it("are known to the model, and their folder is removed with the session", async () => {
    world.ai.script("I know it.");
    const name = `knots-${process.pid}`;
    const knots = { name, description: "How to tie knots.", content: "Over, under." };
    const folders = () => {
      const found = readdirSync(tmpdir()).filter((each) => each.startsWith("hawser-skills-"));
      return found.filter((each) => existsSync(join(tmpdir(), each, "skills", name)));
    };
    const agent = world.agent({ skills: [knots] });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Do you know knots?" });
    expect(JSON.stringify(world.ai.calls[0]?.body)).toContain("How to tie knots.");
    expect(folders()).toHaveLength(1);
    await session.destroy();
    expect(folders()).toEqual([]);
  });
});

describe("files in the prompt", () => {
  it("reach the model", async () => {
    world.ai.script("A dot.");
    const agent = world.agent();
    const session = await world.session(agent);
    const image = Buffer.from(PIXEL, "base64");
    await agent.generate({
      session,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "file", data: image, mediaType: "image/png" },
          ],
        },
      ],
    });
    expect(JSON.stringify(world.ai.calls[0]?.body)).toContain('"type":"image"');
  });
});

describe("headers", () => {
  it("are sent with the requests of the CLI", async () => {
    world.ai.script("Seen.");
    const agent = world.agent({ headers: { "x-trace": "abc" } });
    const session = await world.session(agent);
    await agent.generate({ session, prompt: "Hello." });
    expect(world.ai.calls[0]?.headers["x-trace"]).toBe("abc");
  });
});

describe("errors", () => {
  it("have the error of hawser as their cause, and the session stays usable", async () => {
    world.ai.script(always(apiError(400)));
    const agent = world.agent();
    const session = await world.session(agent);
    const failed = agent.generate({ session, prompt: "Hello." });
    await expect(failed).rejects.toMatchObject({
      name: "AI_APICallError",
      cause: { code: "api_error" },
    });
    world.ai.script("Better.");
    const { text } = await agent.generate({ session, prompt: "Again." });
    expect(text).toBe("Better.");
  });

  it("tell that the CLI was not found", async () => {
    const agent = world.agent({}, { cliPath: "/nowhere/claude" });
    const session = await world.session(agent);
    const failed = agent.generate({ session, prompt: "Hello." });
    await expect(failed).rejects.toMatchObject({ cause: { code: "cli_not_found" } });
  });
});

/** A PNG of one pixel. */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
