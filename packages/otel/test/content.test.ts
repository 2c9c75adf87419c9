import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { complete, createSdkMcpServer, openSession, tool } from "hawser";
import { text, thinking, toolUse } from "hawser/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ContentOptions } from "../src/index.js";
import { otelWorld } from "./support/otel-world.js";

const world = otelWorld();

const SECRET = "sk-ant-0123456789abcdef";
const CONTENT_KEYS = [
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.call.arguments",
  "gen_ai.tool.call.result",
];

describe("instrument({ content })", () => {
  it("puts no content into spans by default", async () => {
    await talk();
    const all = JSON.stringify(world.spans.map(({ attributes, events }) => [attributes, events]));
    for (const key of CONTENT_KEYS) expect(all).not.toContain(key);
    expect(all).not.toContain("bowline");
    expect(all).not.toContain("rigging");
  });

  it("puts prompts, replies, inputs and results into spans, with secrets masked", async () => {
    await talk(true);
    const all = JSON.stringify(world.spans.map(({ attributes }) => attributes));
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain("swordfish");
    expect(contents("invoke_agent")).toEqual({
      "gen_ai.input.messages": [
        { role: "user", parts: [{ type: "text", content: "Tie it, the key is ***." }] },
      ],
      "gen_ai.output.messages": [
        { role: "assistant", parts: [{ type: "text", content: "A bowline." }] },
      ],
      "gen_ai.system_instructions": [{ type: "text", content: "You know rigging." }],
    });
    expect(contents("execute_tool mcp__ship__tie")).toEqual({
      "gen_ai.tool.call.arguments": { rope: "manila ***", password: "***" },
      "gen_ai.tool.call.result": [{ type: "text", text: "Tied with ***." }],
    });
    const chat = world.spans.find(({ name }) => name.startsWith("chat"));
    const reply = JSON.parse(String(chat?.attributes["gen_ai.output.messages"]));
    expect(reply).toMatchObject([
      {
        role: "assistant",
        finish_reason: "tool_use",
        parts: [
          { type: "reasoning", content: "It needs a knot." },
          { type: "tool_call", name: "mcp__ship__tie", arguments: { password: "***" } },
        ],
      },
    ]);
  });

  it("takes parts of it, a limit of length and a further mask", async () => {
    await talk({ tools: false, maxLength: 30, mask: (words) => words.replace("bowline", "knot") });
    const all = JSON.stringify(world.spans.map(({ attributes }) => attributes));
    expect(all).not.toContain("gen_ai.tool.call.arguments");
    expect(all).not.toContain("bowline");
    const { "gen_ai.input.messages": input } = contents("invoke_agent");
    expect(JSON.stringify(input)).toContain("…");
    for (const { attributes } of world.spans) {
      for (const key of CONTENT_KEYS) {
        expect(String(attributes[key] ?? "").length).toBeLessThan(300);
      }
    }
  });

  it("shows no input or result of a tool in prompts and replies without tools", async () => {
    await talk({ tools: false });
    const all = JSON.stringify(world.spans.map(({ attributes }) => attributes));
    expect(all).toContain("tool_call");
    expect(all).not.toContain("manila");
  });

  it("leaves out the data of an image in the result of a tool", async () => {
    world.instrument({ content: true });
    const file = join(world.place.cwd, "knot.png");
    await writeFile(file, Buffer.from(PNG, "base64"));
    world.script(toolUse("Read", { file_path: file }), "A knot.");
    await complete("Look.", { ...world.options, tools: ["Read"], allowedTools: ["Read"] });
    expect(contents("execute_tool Read")["gen_ai.tool.call.result"]).toEqual([
      { type: "blob", modality: "image", mime_type: "image/png" },
    ]);
  });

  it("ends all spans if mask throws, without contents", async () => {
    const mask = () => {
      throw new Error("The mask is broken.");
    };
    await talk({ mask });
    const names = world.spans.map(({ name }) => name.split(" ")[0]);
    expect(names.sort()).toEqual(["chat", "chat", "execute_tool", "invoke_agent"]);
    const all = JSON.stringify(world.spans.map(({ attributes }) => attributes));
    for (const key of CONTENT_KEYS) expect(all).not.toContain(key);
    expect(all).not.toContain("lost");
    expect((await world.metrics()).map(({ name }) => name)).toContain("hawser.calls");
  });
});

/** One dot. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function talk(content?: boolean | ContentOptions): Promise<void> {
  world.instrument(content === undefined ? {} : { content });
  const input = { rope: `manila ${SECRET}`, password: "swordfish" };
  world.script(
    [thinking("It needs a knot."), toolUse("mcp__ship__tie", input)],
    text("A bowline."),
  );
  const shape = { rope: z.string(), password: z.string() };
  const tie = tool("tie", "Ties a knot.", shape, async ({ rope }) => ({
    content: [{ type: "text", text: `Tied with ${rope.split(" ")[1]}.` }],
  }));
  const session = await openSession({
    ...world.options,
    systemPrompt: "You know rigging.",
    mcpServers: { ship: createSdkMcpServer({ name: "ship", tools: [tie], alwaysLoad: true }) },
    allowedTools: ["mcp__ship"],
  });
  await session.send(`Tie it, the key is ${SECRET}.`).text();
  await session.close();
}

/** The contents of a span, parsed. */
function contents(name: string): Record<string, unknown> {
  const attributes = world.spans.find((span) => span.name === name)?.attributes ?? {};
  const given = CONTENT_KEYS.filter((key) => attributes[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, JSON.parse(String(attributes[key]))]));
}
