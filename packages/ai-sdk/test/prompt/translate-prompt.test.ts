import { InvalidPromptError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { CallWarnings } from "../../src/call-warnings.js";
import { translatePrompt } from "../../src/prompt/index.js";

function translate(prompt: LanguageModelV4Prompt) {
  const warnings = new CallWarnings();
  return { ...translatePrompt(prompt, warnings), warnings: warnings.list };
}

const ask = { role: "user", content: [{ type: "text", text: "Name a knot." }] } as const;
const user: LanguageModelV4Prompt[number] = { ...ask, content: [...ask.content] };
const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1");

describe("translatePrompt()", () => {
  it("joins the leading system messages and keeps the order of the conversation", () => {
    const { system, messages, warnings } = translate([
      { role: "system", content: "Be brief." },
      { role: "system", content: "Know knots." },
      user,
      { role: "assistant", content: [{ type: "text", text: "A bowline." }] },
      { role: "user", content: [{ type: "text", text: "Another." }] },
    ]);
    expect(system).toBe("Be brief.\n\nKnow knots.");
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Name a knot." }] },
      { role: "assistant", content: [{ type: "text", text: "A bowline." }] },
      { role: "user", content: [{ type: "text", text: "Another." }] },
    ]);
    expect(warnings).toEqual([]);
  });

  it("gives the images that an agent has shown in a result back as images", () => {
    const call = { type: "tool-call", toolCallId: "c", toolName: "Read", input: {} } as const;
    const value = [
      { type: "text", text: "A pixel:" },
      { type: "image", mediaType: "image/png", data: "AAAA" },
    ];
    const output = { type: "json" as const, value };
    const result = { type: "tool-result", toolCallId: "c", toolName: "Read", output } as const;
    const content = [{ ...call, providerExecuted: true }, result];
    const { messages } = translate([user, { role: "assistant", content }]);
    const source = { type: "base64", media_type: "image/png", data: "AAAA" };
    expect(messages[2]?.content).toMatchObject([
      { type: "tool_result", content: [value[0], { type: "image", source }] },
    ]);
  });

  it("sends a later system message as a marked text of the user, with a warning", () => {
    const { messages, warnings } = translate([user, { role: "system", content: "Be brief." }]);
    expect(messages[0]?.content).toEqual([
      { type: "text", text: "Name a knot." },
      { type: "text", text: "<system_message>\nBe brief.\n</system_message>" },
    ]);
    expect(warnings).toMatchObject([
      { type: "compatibility", feature: "system message after the first message" },
    ]);
  });

  it.each([
    { mediaType: "image/png", data: new Uint8Array(PNG), media_type: "image/png" },
    { mediaType: "image", data: PNG.toString("base64"), media_type: "image/png" },
    {
      mediaType: "image/*",
      data: Buffer.from("\xff\xd8\xff0", "latin1"),
      media_type: "image/jpeg",
    },
    { mediaType: "image/jpg", data: Buffer.from("x"), media_type: "image/jpeg" },
    { mediaType: "image", data: Buffer.from("RIFF0000WEBP"), media_type: "image/webp" },
    { mediaType: "image", data: Buffer.from("GIF89a"), media_type: "image/gif" },
  ])("sends a file of the type $mediaType as an image of the type $media_type", (file) => {
    const { mediaType, data, media_type } = file;
    const { messages, warnings } = translate([
      { role: "user", content: [{ type: "file", mediaType, data: { type: "data", data } }] },
    ]);
    const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64");
    expect(messages[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type, data: base64 } },
    ]);
    expect(warnings).toEqual([]);
  });

  it("sends PDF and text as documents with their names", () => {
    const { messages } = translate([
      {
        role: "user",
        content: [
          {
            type: "file",
            filename: "a.pdf",
            mediaType: "application/pdf",
            data: { type: "data", data: Buffer.from("%PDF-1") },
          },
          {
            type: "file",
            filename: "b.csv",
            mediaType: "text/csv",
            data: { type: "data", data: Buffer.from("ä,b") },
          },
          { type: "file", mediaType: "text", data: { type: "text", text: "plain" } },
          {
            type: "file",
            mediaType: "application/json",
            data: { type: "url", url: new URL("data:application/json,%7B%7D") },
          },
        ],
      },
    ]);
    const text = (data: string) => ({ type: "text", media_type: "text/plain", data });
    expect(messages[0]?.content).toEqual([
      {
        type: "document",
        title: "a.pdf",
        source: {
          type: "base64",
          media_type: "application/pdf",
          data: Buffer.from("%PDF-1").toString("base64"),
        },
      },
      { type: "document", title: "b.csv", source: text("ä,b") },
      { type: "document", source: text("plain") },
      { type: "document", source: text("{}") },
    ]);
  });

  it("leaves out files that the model cannot read, with a warning for each", () => {
    const { messages, warnings } = translate([
      {
        role: "user",
        content: [
          ...ask.content,
          {
            type: "file",
            filename: "a.mp3",
            mediaType: "audio/mpeg",
            data: { type: "data", data: "AAAA" },
          },
          {
            type: "file",
            mediaType: "image/png",
            data: { type: "url", url: new URL("https://example.com/a.png") },
          },
          {
            type: "file",
            mediaType: "image/png",
            data: { type: "reference", reference: { openai: "file-1" } },
          },
        ],
      },
    ]);
    expect(messages[0]?.content).toEqual(ask.content);
    expect(warnings.map(({ type }) => type)).toEqual(["unsupported", "unsupported", "unsupported"]);
    expect(warnings.map((warning) => "feature" in warning && warning.feature)).toEqual([
      "file of the type audio/mpeg",
      "file given as URL",
      "file given as provider reference",
    ]);
  });

  it.each([
    { output: { type: "text", value: "done" }, block: { content: "done" } },
    { output: { type: "json", value: { a: [1] } }, block: { content: '{"a":[1]}' } },
    { output: { type: "error-text", value: "no" }, block: { content: "no", is_error: true } },
    { output: { type: "error-json", value: null }, block: { content: "null", is_error: true } },
    {
      output: { type: "execution-denied", reason: "not now" },
      block: { content: "not now", is_error: true },
    },
    {
      output: { type: "execution-denied", reason: "" },
      block: { content: "The user denied this tool call.", is_error: true },
    },
    {
      output: { type: "error-text", value: "" },
      block: { content: "The tool failed without a message.", is_error: true },
    },
    {
      output: { type: "execution-denied" },
      block: { content: "The user denied this tool call.", is_error: true },
    },
    {
      output: {
        type: "content",
        value: [
          { type: "text", text: "see" },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } },
        ],
      },
      block: {
        content: [
          { type: "text", text: "see" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
    },
  ] as const)("translates a tool result of the type $output.type", ({ output, block }) => {
    const { messages } = translate([
      user,
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "t1", toolName: "tie", input: {} }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "tie",
            output: structuredClone(output) as never,
          },
        ],
      },
    ]);
    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", ...block }],
    });
  });

  it("splits an assistant message with the results of provider-executed tools into several messages", () => {
    const { messages } = translate([
      user,
      {
        role: "assistant",
        content: [
          { type: "text", text: "Look." },
          {
            type: "tool-call",
            toolCallId: "t1",
            toolName: "Read",
            input: { file: "a" },
            providerExecuted: true,
          },
          {
            type: "tool-result",
            toolCallId: "t1",
            toolName: "Read",
            output: { type: "text", value: "A" },
          },
          { type: "text", text: "Seen." },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ]);
    expect(messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Name a knot." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Look." },
          { type: "tool_use", id: "t1", name: "Read", input: { file: "a" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "A" }] },
      { role: "assistant", content: [{ type: "text", text: "Seen." }] },
      { role: "user", content: [{ type: "text", text: "Go on." }] },
    ]);
  });

  it("puts a tool result directly after its call and before the other blocks", () => {
    const { messages } = translate([
      user,
      {
        role: "assistant",
        content: [
          { type: "tool-call", toolCallId: "a", toolName: "x", input: {}, providerExecuted: true },
          { type: "tool-call", toolCallId: "b", toolName: "y", input: {} },
        ],
      },
      { role: "user", content: [{ type: "text", text: "And?" }] },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "x",
            output: { type: "text", value: "1" },
          },
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "y",
            output: { type: "text", value: "2" },
          },
        ],
      },
    ]);
    expect(messages.at(-1)?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "a" },
      { type: "tool_result", tool_use_id: "b" },
      { type: "text", text: "And?" },
    ]);
  });

  it("takes reasoning back with its signature, and leaves out reasoning without one", () => {
    const { messages, warnings } = translate([
      user,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm.", providerOptions: { hawser: { signature: "s" } } },
          { type: "reasoning", text: "", providerOptions: { hawser: { redactedData: "d" } } },
          { type: "reasoning", text: "of another provider" },
          { type: "text", text: "A bowline." },
        ],
      },
      user,
    ]);
    expect(messages[1]?.content).toEqual([
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "redacted_thinking", data: "d" },
      { type: "text", text: "A bowline." },
    ]);
    expect(warnings).toMatchObject([
      { type: "unsupported", feature: "reasoning part without a signature" },
    ]);
  });

  it("gives ids of other providers a form that the API takes, without collisions", () => {
    const call = (toolCallId: string) =>
      ({ type: "tool-call", toolCallId, toolName: "x", input: {} }) as const;
    const result = (toolCallId: string) =>
      ({
        type: "tool-result",
        toolCallId,
        toolName: "x",
        output: { type: "text", value: toolCallId },
      }) as const;
    const { messages } = translate([
      user,
      { role: "assistant", content: [call("a:1"), call("a.1"), call("a_1")] },
      { role: "tool", content: [result("a_1"), result("a:1"), result("a.1")] },
    ]);
    const [, calls, results] = messages;
    const ids = ((calls?.content ?? []) as readonly { id: string }[]).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^[a-zA-Z0-9_-]+$/.test(id))).toBe(true);
    expect(results?.content).toMatchObject([
      { tool_use_id: ids[2], content: "a_1" },
      { tool_use_id: ids[0], content: "a:1" },
      { tool_use_id: ids[1], content: "a.1" },
    ]);
  });

  it("tells the model that a call without a result did not run, with a warning", () => {
    const { messages, warnings } = translate([
      user,
      {
        role: "assistant",
        content: [
          {
            type: "tool-call",
            toolCallId: "a",
            toolName: "x",
            input: "broken",
            providerExecuted: true,
          },
        ],
      },
      user,
    ]);
    expect(messages[1]?.content).toEqual([
      { type: "tool_use", id: "a", name: "x", input: { input: "broken" } },
    ]);
    expect(messages[2]?.content).toMatchObject([
      { type: "tool_result", tool_use_id: "a", is_error: true },
      { type: "text" },
    ]);
    expect(warnings).toMatchObject([
      { type: "compatibility", feature: "tool call without a result" },
    ]);
  });

  it("puts a text of the user before a first message of the assistant, with a warning", () => {
    const { messages, warnings } = translate([
      { role: "assistant", content: [{ type: "text", text: "Ahoy." }] },
      user,
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(warnings).toMatchObject([
      { type: "compatibility", feature: "first message of the assistant" },
    ]);
  });

  it.each<{ what: string; prompt: LanguageModelV4Prompt; why: RegExp }>([
    {
      what: "no message",
      prompt: [{ role: "system", content: "x" }],
      why: /no message of the user/,
    },
    {
      what: "only white space",
      prompt: [{ role: "user", content: [{ type: "text", text: " \n" }] }],
      why: /no message of the user/,
    },
    {
      what: "an answer at the end",
      prompt: [user, { role: "assistant", content: [{ type: "text", text: "A" }] }],
      why: /last message is the assistant's/,
    },
    {
      what: "a result without a call",
      prompt: [
        user,
        {
          role: "tool",
          content: [
            {
              type: "tool-result",
              toolCallId: "t",
              toolName: "x",
              output: { type: "text", value: "" },
            },
          ],
        },
      ],
      why: /answers no tool call/,
    },
  ])("refuses a prompt with $what as InvalidPromptError", ({ prompt, why }) => {
    const attempt = () => translate(prompt);
    expect(attempt).toThrow(why);
    expect(attempt).toThrow(InvalidPromptError);
  });
});
