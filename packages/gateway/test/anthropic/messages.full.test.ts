import {
  always,
  apiError,
  maxTokens,
  refusal,
  reply,
  streamError,
  thinking,
  toolUse,
} from "hawser/testing";
import { describe, expect, it } from "vitest";
import { gatewayWorld } from "../support/gateway-world.js";
import { readSse } from "../support/read-sse.js";

const world = gatewayWorld({ models: { "claude-fixed": "haiku" } });

const HELLO = {
  model: "sonnet",
  max_tokens: 100,
  messages: [{ role: "user", content: "Name a knot." }],
};

const WEATHER = {
  name: "weather",
  description: "Tells the weather.",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

async function create(more: object = {}, headers: Record<string, string> = {}) {
  const response = await world.post("/v1/messages", { ...HELLO, ...more }, headers);
  return { response, body: (await response.json()) as Record<string, never> };
}

async function streamed(more: object = {}) {
  const response = await world.post("/v1/messages", { ...HELLO, ...more, stream: true });
  const events: Record<string, never>[] = [];
  for await (const { event, data } of readSse(response)) {
    const parsed = JSON.parse(data);
    expect(event).toBe(parsed.type);
    events.push(parsed);
  }
  return { response, events, types: events.map(({ type }) => String(type)) };
}

/** What the model was asked in its last request, in the terms of the API. */
function asked() {
  return world.calls.at(-1)?.body as {
    model: string;
    system: { text: string }[];
    messages: { role: string; content: unknown }[];
    tools: { name: string; description: string; input_schema: unknown }[];
    thinking: unknown;
    output_config: unknown;
  };
}

describe("POST /v1/messages", () => {
  it("answers with a message that has every field of the API", async () => {
    world.script(reply("A bowline.", { usage: { input_tokens: 10, cache_read_input_tokens: 7 } }));
    const { response, body } = await create();
    expect(response.status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^msg_\w+$/),
      type: "message",
      role: "assistant",
      model: expect.stringContaining("claude-sonnet"),
      content: [{ type: "text", text: "A bowline." }],
      stop_reason: "end_turn",
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: { input_tokens: 10, cache_read_input_tokens: 7 },
    });
    const id = response.headers.get("request-id");
    expect(id).toMatch(/^req_\w+$/);
    expect(response.headers.get("x-request-id")).toBe(id);
    expect(Number(response.headers.get("x-hawser-cost-usd"))).toBeGreaterThan(0);
    expect(response.headers.get("x-hawser-ignored")).toBe("max_tokens");
  });

  it("streams the events of the API in their order, each with its name", async () => {
    world.script(reply("A bowline.", { chunks: 2 }));
    const { response, events, types } = await streamed();
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(types).toEqual([
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
    expect(events[0]).toMatchObject({ message: { role: "assistant", content: [] } });
    expect(events.at(-2)).toMatchObject({
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 5 },
    });
  });

  it("delivers the system prompt, images, PDFs and tool results verbatim", async () => {
    world.script("Done.");
    const image = { type: "base64", media_type: "image/png", data: PNG };
    const pdf = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" };
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "See." },
          { type: "image", source: image },
        ],
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "rain", is_error: true },
          { type: "document", source: pdf, title: "A paper" },
        ],
      },
    ];
    const system = [
      { type: "text", text: "Be terse." },
      { type: "text", text: "Be kind." },
    ];
    const { response } = await create({ system, messages, tools: [WEATHER] });
    expect(response.status).toBe(200);
    expect(asked().system.at(-1)?.text).toBe("Be terse.\n\nBe kind.");
    expect(asked().messages.filter(({ role }) => role !== "system")).toMatchObject([
      {
        role: "user",
        content: expect.arrayContaining([expect.objectContaining({ type: "image" })]),
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather" }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "rain", is_error: true },
          { type: "document", title: "A paper", source: pdf },
        ],
      },
    ]);
  });

  it("shows the model the client's tools, and the client the model's calls", async () => {
    world.script(["Wait.", toolUse("weather", { city: "Oslo" }, { id: "toolu_1" })]);
    const { events } = await streamed({ tools: [WEATHER] });
    expect(asked().tools).toMatchObject([
      { name: "weather", description: WEATHER.description, input_schema: WEATHER.input_schema },
    ]);
    expect(events.filter(({ type }) => type === "content_block_start")).toMatchObject([
      { index: 0, content_block: { type: "text" } },
      { index: 1, content_block: { type: "tool_use", id: "toolu_1", name: "weather", input: {} } },
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
  });

  it("shows the model the whole description of a tool, with paragraphs and of any length", async () => {
    world.script("I see.");
    const description = `Tells the weather.\n\nUse it often.\n\n\n${"x".repeat(20_000)} end`;
    await create({ tools: [{ ...WEATHER, description }] });
    const shown = asked().tools[0]?.description ?? "";
    expect(shown.replaceAll("\n \n", "\n\n").replaceAll("\n \n", "\n\n")).toBe(description);
  });

  it("sends a tool_reference in a result as text, and says so", async () => {
    world.script("I see.");
    const reference = { type: "tool_reference", tool_name: "weather" };
    const { response } = await create({
      tools: [{ ...WEATHER, defer_loading: true }],
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "find", input: {} }],
        },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [reference] }],
        },
      ],
    });
    expect(response.status).toBe(200);
    expect(world.calls[0]?.toolResults[0]?.text).toBe("The tool weather is available.");
    expect(asked().tools.map(({ name }) => name)).toEqual(["weather"]);
    expect(response.headers.get("x-hawser-ignored")).toContain("tool_reference sent as text");
  });

  it.each(["ToolSearch", "StructuredOutput"])(
    "gives the client's tool %s, which the CLI has too, another name for the model",
    async (name) => {
      world.script(toolUse(`${name}_`, { city: "Oslo" }, { id: "toolu_2" }));
      const call = { type: "tool_use", id: "toolu_1", name, input: { city: "Rome" } };
      const { body, response } = await create({
        tools: [{ ...WEATHER, name }],
        messages: [
          { role: "user", content: "Weather?" },
          { role: "assistant", content: [call] },
          {
            role: "user",
            content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "?" }],
          },
        ],
      });
      expect(body).toMatchObject({
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: "toolu_2", name, input: { city: "Oslo" } }],
      });
      expect(asked().tools.map((tool) => tool.name)).toEqual([`${name}_`]);
      expect(JSON.stringify(asked().messages)).toContain(`"name":"${name}_"`);
      expect(response.headers.get("x-hawser-ignored")).toContain(`the model sees ${name} as`);
    },
  );

  it("forces a tool with tool_choice, and shows the value as a call", async () => {
    world.script(toolUse("StructuredOutput", { city: "Oslo" }));
    const { body } = await create({
      tools: [WEATHER],
      tool_choice: { type: "tool", name: "weather" },
    });
    expect(body).toMatchObject({
      content: [{ type: "tool_use", name: "weather", input: { city: "Oslo" } }],
      stop_reason: "tool_use",
    });
  });

  it("offers no tools with tool_choice none", async () => {
    world.script("No tools.");
    await create({ tools: [WEATHER], tool_choice: { type: "none" } });
    expect(asked().tools).toEqual([]);
  });

  it("shows only the first call with disable_parallel_tool_use", async () => {
    world.script([toolUse("weather", { city: "Oslo" }), toolUse("weather", { city: "Rome" })]);
    const tool_choice = { type: "auto", disable_parallel_tool_use: true };
    const { events } = await streamed({ tools: [WEATHER], tool_choice });
    const starts = events.filter(({ type }) => type === "content_block_start");
    expect(starts).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: "message_stop" });
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
    expect(world.calls).toHaveLength(1);
  });

  it("gives the value of output_config.format as text, after the model repaired it", async () => {
    world.script(
      toolUse("StructuredOutput", { knot: 7 }),
      toolUse("StructuredOutput", { knot: "bowline" }),
    );
    const schema = {
      type: "object",
      properties: { knot: { type: "string" } },
      required: ["knot"],
      additionalProperties: false,
    };
    const { events } = await streamed({
      output_config: { format: { type: "json_schema", schema } },
    });
    const text = events.flatMap((event) => {
      const { delta } = event as { delta?: { text?: string } };
      return delta?.text ?? [];
    });
    expect(text.join("")).toBe('{"knot":"bowline"}');
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
    expect(world.calls).toHaveLength(2);
  });

  it("cuts the text before a stop sequence, and ends the work of the model", async () => {
    world.script(reply("one END two three four five six", { chunks: 8, chunkDelayMs: 5 }));
    const { body } = await create({ stop_sequences: ["END"] });
    expect(body).toMatchObject({
      content: [{ type: "text", text: "one " }],
      stop_reason: "stop_sequence",
      stop_sequence: "END",
    });
  });

  it("passes thinking and effort on, and streams thinking with its signature", async () => {
    world.script([thinking("Hm.", { signature: "sig" }), "A bowline."]);
    const { events } = await streamed({
      thinking: { type: "enabled", budget_tokens: 2048 },
      output_config: { effort: "low" },
      model: "claude-haiku-4-5",
    });
    const deltas = events.flatMap((event) => (event as { delta?: { type?: string } }).delta ?? []);
    expect(deltas).toMatchObject([
      { type: "thinking_delta", thinking: "Hm." },
      { type: "signature_delta", signature: "sig" },
      { type: "text_delta" },
      { stop_reason: "end_turn" },
    ]);
    expect(asked().thinking).toMatchObject({ type: "enabled" });
  });

  it("uses the model that the map of models names", async () => {
    world.script("Hi.");
    await create({ model: "claude-fixed" });
    expect(asked().model).toContain("haiku");
  });

  it("puts a system message inside of the conversation into the user message, and says so", async () => {
    world.script("Done.");
    const messages = [
      { role: "user", content: "One." },
      { role: "system", content: "Be terse." },
      { role: "assistant", content: "Two." },
      { role: "system", content: [] },
      { role: "user", content: "Three." },
    ];
    const { response } = await create({ messages });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-hawser-ignored")).toContain("messages[].role (system");
    expect(JSON.stringify(asked().messages)).toContain("<system-reminder>\\nBe terse.");
  });
});

describe("POST /v1/messages with thread", () => {
  it("refuses with the code after which the official client sends the whole conversation", async () => {
    const thread = { type: "create" };
    const response = await world.post("/v1/messages?beta=true", { ...HELLO, thread });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect(await response.json()).toMatchObject({
      error: {
        type: "invalid_request_error",
        message: expect.stringContaining("`thread`"),
        details: { error_code: "thread_unsupported_request", unsupported: ["thread"] },
      },
    });
    expect(world.calls).toEqual([]);
  });
});

describe("POST /v1/messages that ends early", () => {
  it("ends with max_tokens and the text so far, without asking the model to continue", async () => {
    // The CLI asks the model to continue before it hears that the answer is enough.
    world.script(maxTokens("One two"), always("three"));
    const { events } = await streamed();
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
    expect(JSON.stringify(events)).not.toContain("three");
  });

  it("ends with refusal and the text so far", async () => {
    world.script(refusal("I can"), always(refusal("not")));
    const { body } = await create();
    expect(body).toMatchObject({ stop_reason: "refusal", content: [{ text: "I can" }] });
  });

  it("ends a stream that fails with an error event, and never with message_stop", async () => {
    world.script(streamError("overloaded_error", { after: "Begun" }), always("Other words."));
    const { events, types } = await streamed();
    expect(types).not.toContain("message_stop");
    expect(events.at(-1)).toMatchObject({
      type: "error",
      error: { type: "api_error" },
      request_id: expect.stringMatching(/^req_/),
    });
    expect(JSON.stringify(events)).not.toContain("Other words.");
  });
});

describe("POST /v1/messages with errors of the API", () => {
  it.each([
    { status: 529, type: "overloaded_error", retries: "true" },
    { status: 401, type: "authentication_error", retries: "false" },
    { status: 429, type: "rate_limit_error", retries: "true" },
  ])("answers $status as $type, also if a stream was asked for", async (expected) => {
    const { status, type, retries } = expected;
    world.script(apiError(status), apiError(status));
    const response = await world.post("/v1/messages", {
      ...HELLO,
      stream: true,
      model: `claude-${status}`,
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type, message: expect.any(String) },
      request_id: response.headers.get("request-id"),
    });
    expect(response.headers.get("x-should-retry")).toBe(retries);
  });
});

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
