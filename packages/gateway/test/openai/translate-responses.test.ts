import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/errors/request-error.js";
import { encodeThinking } from "../../src/openai/responses/encrypted-thinking.js";
import type { ResponseItem } from "../../src/openai/responses/response-item.js";
import { parseResponsesBody } from "../../src/openai/responses/responses-body.js";
import {
  type TranslatedResponses,
  translateResponses,
} from "../../src/openai/responses/translate-responses.js";

const WEATHER = {
  type: "function",
  name: "weather",
  parameters: { type: "object" },
  strict: false,
};

function translate(fields: object, earlier: readonly ResponseItem[] = []): TranslatedResponses {
  const body = parseResponsesBody({ model: "sonnet", input: "Hi.", ...fields });
  const { input } = body;
  const items: readonly ResponseItem[] =
    typeof input === "string"
      ? [{ type: "message", role: "user", content: input }]
      : (input ?? []).filter((item) => item.type !== "item_reference");
  return translateResponses(body, earlier, items);
}

describe("translateResponses()", () => {
  it("gives the defaults", () => {
    const { request, ignored, ...others } = translate({});
    expect(request).toEqual({
      model: "sonnet",
      system: undefined,
      messages: [{ role: "user", content: [{ type: "text", text: "Hi." }] }],
      tools: [],
      toolChoice: "auto",
      allowsParallelCalls: true,
      schema: undefined,
      wantsJson: false,
      effort: undefined,
      thinking: undefined,
      stopSequences: [],
    });
    expect(ignored).toEqual([]);
    expect(others).toMatchObject({ showsSummary: false, showsEncryptedThinking: false });
  });

  it("translates instructions and items, with and without a type", () => {
    const { request } = translate({
      instructions: "Be brief.",
      tools: [WEATHER],
      input: [
        { role: "developer", content: "Be kind." },
        { type: "message", role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [],
          encrypted_content: encodeThinking({ type: "thinking", thinking: "Hm.", signature: "s" }),
        },
        { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Oslo"}' },
        { type: "function_call", call_id: "c2", name: "weather", arguments: "{}" },
        { type: "function_call_output", call_id: "c2", output: "sun" },
        {
          type: "function_call_output",
          call_id: "c1",
          output: [{ type: "input_text", text: "rain" }],
        },
      ],
    });
    expect(request.system).toBe("Be brief.\n\nBe kind.");
    expect(request.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "s" },
          { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
          { type: "tool_use", id: "c2", name: "weather", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c2", content: "sun" },
          { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "rain" }] },
        ],
      },
    ]);
  });

  it("puts the items of the earlier conversation first", () => {
    const { request } = translate({ input: "And now?" }, [
      { type: "message", role: "system", content: "Be brief." },
      { type: "message", role: "user", content: "Hi." },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] },
    ]);
    expect(request.system).toBe("Be brief.");
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  it("leaves out reasoning that it cannot read, and names it", () => {
    const { request, ignored } = translate({
      input: [
        { role: "user", content: "Hi." },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" },
        { role: "assistant", content: "Hello." },
        { role: "user", content: "Well?" },
      ],
    });
    expect(request.messages[1]?.content).toEqual([{ type: "text", text: "Hello." }]);
    expect(ignored).toEqual(["input[] (reasoning without encrypted_content of this gateway)"]);
  });

  it("leaves out thinking that nothing follows", () => {
    const encrypted_content = encodeThinking({
      type: "thinking",
      thinking: "Hm.",
      signature: "s",
    });
    const { request } = translate({
      input: [
        { role: "user", content: "Hi." },
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content },
      ],
    });
    expect(request.messages).toHaveLength(1);
  });

  it("translates images and files", () => {
    const { request, ignored } = translate({
      input: [
        {
          role: "user",
          content: [
            { type: "input_image", image_url: "data:image/gif;base64,R0lG", detail: "high" },
            { type: "input_file", file_data: "data:application/pdf;base64,JVBERg==" },
          ],
        },
      ],
    });
    expect(request.messages[0]?.content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/gif", data: "R0lG" } },
      {
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
      },
    ]);
    expect(ignored).toEqual(["input[].content[].detail"]);
  });

  it("translates tool_choice, text.format and reasoning", () => {
    const schema = { type: "object" };
    const { request, showsSummary, ignored } = translate({
      tools: [WEATHER],
      tool_choice: { type: "function", name: "weather" },
      text: { format: { type: "json_schema", name: "a", schema }, verbosity: "low" },
      reasoning: { effort: "high", summary: "detailed" },
      parallel_tool_calls: false,
    });
    expect(request).toMatchObject({
      toolChoice: { tool: "weather" },
      schema,
      effort: "high",
      allowsParallelCalls: false,
    });
    expect(showsSummary).toBe(true);
    expect(ignored).toEqual(["reasoning.summary (counts as auto)", "text.verbosity"]);
    expect(translate({ text: { format: { type: "json_object" } } }).request.wantsJson).toBe(true);
    const allowed = {
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "weather" }],
    };
    const tools = [WEATHER, { ...WEATHER, name: "time" }];
    expect(translate({ tools, tool_choice: allowed }).request.tools).toHaveLength(1);
  });

  it("translates the tools of namespaces, and their calls", () => {
    const { request, ignored, toolSet } = translate({
      tools: [
        WEATHER,
        {
          type: "namespace",
          name: "crm",
          description: "Customers.",
          tools: [
            { ...WEATHER, name: "find", description: "Finds one.", defer_loading: true },
            { type: "custom", name: "query" },
          ],
        },
      ],
      tool_choice: { type: "function", name: "find", namespace: "crm" },
      input: [
        { role: "user", content: "Who?" },
        { type: "function_call", call_id: "c1", namespace: "crm", name: "find", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "Ann" },
        { type: "custom_tool_call", call_id: "c2", namespace: "crm", name: "query", input: "a" },
        { type: "custom_tool_call_output", call_id: "c2", output: "b" },
      ],
    });
    expect(request.tools).toMatchObject([
      { name: "weather", description: "" },
      {
        name: "crm__find",
        description: "Finds one.\n\nCustomers.",
        inputSchema: { type: "object" },
      },
      { name: "crm__query", description: "Customers." },
    ]);
    expect(request.toolChoice).toEqual({ tool: "crm__find" });
    expect(request.messages.filter(({ role }) => role === "assistant")).toEqual([
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "c1", name: "crm__find", input: {} }],
      },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "c2", name: "crm__query", input: { input: "a" } }],
      },
    ]);
    expect(toolSet.isCustom("crm__query")).toBe(true);
    expect(ignored).toEqual(["tools[].tools[].defer_loading"]);
  });

  it("translates include", () => {
    const include = ["reasoning.encrypted_content", "file_search_call.results"];
    const { showsEncryptedThinking, ignored } = translate({ include });
    expect(showsEncryptedThinking).toBe(true);
    expect(ignored).toEqual(["include (file_search_call.results)"]);
  });

  it.each<[string, object, string]>([
    ["background", { background: true }, "background"],
    ["a conversation", { conversation: "conv_1" }, "conversation"],
    ["a stored prompt", { prompt: { id: "p" } }, "prompt"],
    ["logprobs", { include: ["message.output_text.logprobs"] }, "include[0]"],
    ["a hosted tool", { tools: [WEATHER, { type: "web_search" }] }, "tools[1]"],
    [
      "a hosted tool in a namespace",
      { tools: [{ type: "namespace", name: "a", tools: [{ type: "web_search" }] }] },
      "tools[0].tools[0].type",
    ],
    [
      "two tools of one name in a namespace",
      { tools: [{ type: "namespace", name: "a", tools: [WEATHER, WEATHER] }] },
      "tools[0].tools[1]",
    ],
    ["an unknown tool", { tools: [{ type: "magic" }] }, "tools[0].type"],
    ["an unknown item", { input: [{ type: "computer_call", call_id: "c" }] }, "input[0].type"],
    ["no input", { input: [], instructions: "Hi." }, "input"],
    [
      "a call without a result",
      {
        input: [
          { role: "user", content: "a" },
          { type: "function_call", call_id: "c1", name: "a", arguments: "{}" },
        ],
      },
      "input[1]",
    ],
    [
      "a result without a call",
      { input: [{ type: "function_call_output", call_id: "c1", output: "a" }] },
      "input[0]",
    ],
    [
      "arguments that are not JSON",
      { input: [{ type: "function_call", call_id: "c1", name: "a", arguments: "[" }] },
      "input[0].arguments",
    ],
    [
      "the URL of a file",
      {
        input: [
          { role: "user", content: [{ type: "input_file", file_url: "https://a.org/b.pdf" }] },
        ],
      },
      "input[0].content[0].file_url",
    ],
    [
      "a file of OpenAI",
      { input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
      "input[0].content[0]",
    ],
    [
      "a content without text",
      { input: [{ role: "user", content: [{ type: "input_text" }] }] },
      "input[0].content[0].text",
    ],
    ["metadata that is not text", { metadata: { a: 1 } }, "metadata.a"],
  ])("refuses %s with the path", (_, fields, param) => {
    expect(() => translate(fields)).toThrow(RequestError);
    expect(() => translate(fields)).toThrow(
      expect.objectContaining({ code: "invalid_request", param }),
    );
  });
});
