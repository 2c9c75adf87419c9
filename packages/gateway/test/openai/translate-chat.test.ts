import { describe, expect, it } from "vitest";
import { RequestError } from "../../src/errors/request-error.js";
import { parseChatBody } from "../../src/openai/chat/chat-body.js";
import { type TranslatedChat, translateChat } from "../../src/openai/chat/translate-chat.js";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const WEATHER = {
  type: "function",
  function: { name: "weather", description: "Tells it.", parameters: { type: "object" } },
};
const TIME = { type: "function", function: { name: "time" } };

function translate(fields: object): TranslatedChat {
  const messages = [{ role: "user", content: "Hi." }];
  return translateChat(parseChatBody({ model: "sonnet", messages, ...fields }));
}

function refusalOf(fields: object): RequestError {
  try {
    translate(fields);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error("The request was not refused.");
}

const call = (id: string, json: string, name = "weather") => {
  return { id, type: "function", function: { name, arguments: json } };
};

describe("translateChat()", () => {
  it("gives the defaults", () => {
    const { request, ignored, isStreamed, includesUsage } = translate({});
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
    expect({ ignored, isStreamed, includesUsage }).toEqual({
      ignored: [],
      isStreamed: false,
      includesUsage: false,
    });
  });

  it("joins leading system and developer messages to the system prompt", () => {
    const { request, ignored } = translate({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [{ type: "text", text: "Be kind." }] },
        { role: "user", content: "Hi." },
      ],
    });
    expect(request.system).toBe("Be brief.\n\nBe kind.");
    expect(request.messages).toHaveLength(1);
    expect(ignored).toEqual([]);
  });

  it("sends a later system message as marked text of the user, in its place, and says so", () => {
    const { request, ignored } = translate({
      messages: [
        { role: "user", content: "Hi." },
        { role: "assistant", content: "Hello." },
        { role: "system", content: "Now in French." },
        { role: "user", content: "And now?" },
      ],
    });
    expect(request.system).toBeUndefined();
    expect(request.messages.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "text", text: "<system_message>\nNow in French.\n</system_message>" },
        { type: "text", text: "And now?" },
      ],
    });
    expect(ignored).toEqual(["messages[].role (system message sent as text of the user)"]);
  });

  it("lets the model answer a system message if there is no other message", () => {
    const { request, ignored } = translate({ messages: [{ role: "system", content: "Say hi." }] });
    expect(request.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Say hi." }] },
    ]);
    expect(request.system).toBeUndefined();
    expect(ignored).toHaveLength(1);
  });

  it("translates images and files", () => {
    const pdf = { file_data: "data:application/pdf;base64,JVBERg==", filename: "a.pdf" };
    const { request, ignored } = translate({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Look." },
            { type: "image_url", image_url: { url: PNG, detail: "low" } },
            { type: "file", file: pdf },
            { type: "file", file: { file_data: "aGk=", filename: "a.txt" } },
          ],
        },
      ],
    });
    expect(request.messages[0]?.content).toEqual([
      { type: "text", text: "Look." },
      { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
      {
        type: "document",
        title: "a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "JVBERg==" },
      },
      {
        type: "document",
        title: "a.txt",
        source: { type: "text", media_type: "text/plain", data: "hi" },
      },
    ]);
    expect(ignored).toEqual(["messages[].content[].image_url.detail"]);
  });

  it("translates tool calls and their results, results first", () => {
    const { request } = translate({
      tools: [WEATHER, TIME],
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [call("c1", '{"city":"Oslo"}'), call("c2", "", "time")],
        },
        { role: "tool", tool_call_id: "c2", content: [{ type: "text", text: "noon" }] },
        { role: "tool", tool_call_id: "c1", content: "rain" },
        { role: "user", content: "Well?" },
      ],
    });
    expect(request.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } },
          { type: "tool_use", id: "c2", name: "time", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c2", content: [{ type: "text", text: "noon" }] },
          { type: "tool_result", tool_use_id: "c1", content: "rain" },
          { type: "text", text: "Well?" },
        ],
      },
    ]);
    expect(request.tools).toEqual([
      { name: "weather", description: "Tells it.", inputSchema: { type: "object" } },
      { name: "time", description: "", inputSchema: { type: "object", properties: {} } },
    ]);
  });

  it("leaves empty messages out, and names them", () => {
    const { request, ignored } = translate({
      messages: [
        { role: "user", content: "a" },
        { role: "assistant", content: "" },
        { role: "user", content: "b" },
      ],
    });
    expect(request.messages).toHaveLength(1);
    expect(ignored).toEqual(["messages[] (empty)"]);
  });

  it("puts a user message before an assistant's message that begins the conversation", () => {
    const { request, ignored } = translate({
      messages: [
        { role: "assistant", content: "Welcome!" },
        { role: "user", content: "Hi." },
      ],
    });
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(ignored).toEqual(['messages[] (preceded by the text "(start)" of the user)']);
  });

  it.each([
    [{ tool_choice: "none" }, "none"],
    [{ tool_choice: "required" }, "required"],
    [{ tool_choice: { type: "function", function: { name: "time" } } }, { tool: "time" }],
  ])("translates %j", (fields, toolChoice) => {
    expect(translate({ tools: [WEATHER, TIME], ...fields }).request.toolChoice).toEqual(toolChoice);
  });

  it("offers only the tools of allowed_tools", () => {
    const tools = [{ type: "function", function: { name: "time" } }];
    const tool_choice = { type: "allowed_tools", allowed_tools: { mode: "required", tools } };
    const { request } = translate({ tools: [WEATHER, TIME], tool_choice });
    expect(request.tools.map(({ name }) => name)).toEqual(["time"]);
    expect(request.toolChoice).toBe("required");
  });

  it("offers a custom tool as a tool with the parameter input", () => {
    const custom = {
      name: "sql",
      format: { type: "grammar", grammar: { syntax: "lark", definition: "start: A" } },
    };
    const { request, ignored, toolSet } = translate({
      tools: [{ type: "custom", custom }],
      messages: [
        { role: "user", content: "Run it." },
        {
          role: "assistant",
          tool_calls: [{ id: "c1", type: "custom", custom: { name: "sql", input: "SELECT 1" } }],
        },
        { role: "tool", tool_call_id: "c1", content: "1" },
      ],
    });
    expect(request.tools[0]?.description).toContain("start: A");
    expect(request.messages[1]?.content).toEqual([
      { type: "tool_use", id: "c1", name: "sql", input: { input: "SELECT 1" } },
    ]);
    expect(toolSet.isCustom("sql")).toBe(true);
    expect(ignored).toEqual(["tools[].custom.format (told to the model but not enforced)"]);
  });

  it.each([
    [{ type: "text" }, { schema: undefined, wantsJson: false }],
    [{ type: "json_object" }, { schema: undefined, wantsJson: true }],
    [
      { type: "json_schema", json_schema: { name: "a", strict: true, schema: { type: "object" } } },
      { schema: { type: "object" }, wantsJson: false },
    ],
  ])("translates response_format %j", (response_format, expected) => {
    expect(translate({ response_format }).request).toMatchObject(expected);
  });

  it.each([
    ["none", { effort: undefined, thinking: { type: "disabled" } }],
    ["minimal", { effort: "low", thinking: { type: "adaptive" } }],
    ["low", { effort: "low", thinking: { type: "adaptive" } }],
    ["xhigh", { effort: "xhigh", thinking: { type: "adaptive" } }],
  ])("translates reasoning_effort %s", (reasoning_effort, expected) => {
    expect(translate({ reasoning_effort }).request).toMatchObject(expected);
  });

  it("translates stop, parallel_tool_calls and stream_options", () => {
    expect(translate({ stop: "END" }).request.stopSequences).toEqual(["END"]);
    expect(translate({ stop: ["a", "b"] }).request.stopSequences).toEqual(["a", "b"]);
    expect(translate({ parallel_tool_calls: false }).request.allowsParallelCalls).toBe(false);
    const stream_options = { include_usage: true };
    expect(translate({ stream: true, stream_options }).includesUsage).toBe(true);
    expect(translate({ stream_options }).ignored).toEqual(["stream_options.include_usage"]);
  });

  it("names what has no effect", () => {
    const { ignored } = translate({
      temperature: 0.2,
      max_tokens: 100,
      seed: 1,
      user: "u",
      tools: [{ ...WEATHER, function: { ...WEATHER.function, strict: true } }],
      messages: [{ role: "user", content: "Hi.", name: "Ann" }],
      made_up: true,
    });
    expect(ignored.toSorted()).toEqual([
      "made_up",
      "max_tokens",
      "messages[].name",
      "seed",
      "temperature",
      "tools[].function.strict",
      "user",
    ]);
  });

  const image = (url: string) => ({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
  });

  it.each<[string, object, string]>([
    ["n over 1", { n: 2 }, "n"],
    ["logprobs", { logprobs: true }, "logprobs"],
    ["audio output", { modalities: ["text", "audio"] }, "modalities"],
    ["web search", { web_search_options: {} }, "web_search_options"],
    ["functions", { functions: [{ name: "a" }] }, "functions"],
    [
      "messages of a function",
      { messages: [{ role: "function", name: "a", content: "b" }] },
      "messages[0].role",
    ],
    ["a missing model", { model: undefined }, "model"],
    ["no messages", { messages: [] }, "messages"],
    ["an unknown role", { messages: [{ role: "robot", content: "b" }] }, "messages[0].role"],
    ["a wrong content", { messages: [{ role: "user", content: 3 }] }, "messages[0].content"],
    [
      "a wrong part",
      { messages: [{ role: "user", content: [{ type: "text" }] }] },
      "messages[0].content[0].text",
    ],
    ["an empty conversation", { messages: [{ role: "user", content: " " }] }, "messages"],
    [
      "audio input",
      { messages: [{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }] },
      "messages[0].content[0]",
    ],
    ["a URL", image("https://example.org/a.png"), "messages[0].content[0].image_url.url"],
    ["a file URL", image("file:///etc/passwd"), "messages[0].content[0].image_url.url"],
    ["bad base64", image("data:image/png;base64,*"), "messages[0].content[0].image_url.url"],
    ["an SVG", image("data:image/svg+xml;base64,aGk="), "messages[0].content[0].image_url.url"],
    [
      "the id of a file",
      { messages: [{ role: "user", content: [{ type: "file", file: { file_id: "f" } }] }] },
      "messages[0].content[0].file",
    ],
    [
      "a prefilled answer",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: "b" },
        ],
      },
      "messages[1]",
    ],
    [
      "arguments that are not JSON",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", tool_calls: [call("c1", "{")] },
        ],
      },
      "messages[1].tool_calls[0].function.arguments",
    ],
    [
      "a call without a result",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", tool_calls: [call("c1", "{}"), call("c2", "{}")] },
          { role: "tool", tool_call_id: "c1", content: "b" },
        ],
      },
      "messages[1].tool_calls[1]",
    ],
    [
      "a result without a call",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "tool", tool_call_id: "c1", content: "b" },
        ],
      },
      "messages[1]",
    ],
    [
      "a second result for a call",
      {
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", tool_calls: [call("c1", "{}")] },
          { role: "tool", tool_call_id: "c1", content: "b" },
          { role: "tool", tool_call_id: "c1", content: "b" },
        ],
      },
      "messages[3]",
    ],
    [
      "a choice that is no tool",
      { tools: [TIME], tool_choice: { type: "function", function: { name: "x" } } },
      "tool_choice.function.name",
    ],
    ["a required call without tools", { tool_choice: "required" }, "tool_choice"],
    ["two tools of one name", { tools: [TIME, TIME] }, "tools[1].function"],
    [
      "a bad name of a tool",
      { tools: [{ type: "function", function: { name: "a b" } }] },
      "tools[0].function",
    ],
    ["an empty stop sequence", { stop: "" }, "stop"],
    ["an unknown effort", { reasoning_effort: "huge" }, "reasoning_effort"],
  ])("refuses %s with the path", (_, fields, param) => {
    const error = refusalOf(fields);
    expect(error).toMatchObject({ code: "invalid_request", param });
    expect(error.message).toContain(param);
  });
});
