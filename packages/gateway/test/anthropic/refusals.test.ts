import { describe, expect, it } from "vitest";
import { gatewayWorld } from "../support/gateway-world.js";

const world = gatewayWorld();

const USER = { role: "user", content: "Name a knot." };
const HELLO = { model: "sonnet", max_tokens: 100, messages: [USER] };
const TOOL = { name: "a", input_schema: { type: "object" } };
const image = (source: object) => ({
  messages: [{ role: "user", content: [{ type: "image", source }] }],
});

async function refused(body: unknown, status = 400) {
  const response = await world.post("/v1/messages", body);
  const answer = (await response.json()) as { error: { type: string; message: string } };
  expect({ status: response.status, ...answer }).toMatchObject({
    status,
    type: "error",
    request_id: response.headers.get("request-id"),
  });
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect(world.calls).toHaveLength(0);
  return answer.error;
}

describe("POST /v1/messages refuses with 400, and names the parameter:", () => {
  it.each<{ what: string; more: object; path: string }>([
    { what: "a missing model", more: { model: undefined }, path: "model" },
    { what: "no messages", more: { messages: [] }, path: "messages" },
    { what: "messages that are no list", more: { messages: "Hi" }, path: "messages" },
    {
      what: "an unknown role",
      more: { messages: [{ role: "robot", content: "x" }] },
      path: "messages[0].role",
    },
    {
      what: "a text block without text",
      more: { messages: [{ role: "user", content: [{ type: "text" }] }] },
      path: "messages[0].content[0].text",
    },
    {
      what: "an unknown block",
      more: { messages: [{ role: "user", content: [{ type: "server_tool_use" }] }] },
      path: "messages[0].content[0].type",
    },
    {
      what: "a prefill",
      more: { messages: [USER, { role: "assistant", content: "A bow" }] },
      path: "messages",
    },
    {
      what: "a conversation that begins with the assistant",
      more: { messages: [{ role: "assistant", content: "Hi." }, USER] },
      path: "messages[0]",
    },
    {
      what: "a tool call without its result",
      more: {
        messages: [
          USER,
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "a", input: {} }] },
          USER,
        ],
      },
      path: "messages[1].content[0]",
    },
    {
      what: "a result without its call",
      more: { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }] },
      path: "messages[0].content[0].tool_use_id",
    },
    {
      what: "a hosted tool",
      more: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
      path: "tools[0]",
    },
    { what: "two tools of one name", more: { tools: [TOOL, TOOL] }, path: "tools[1].name" },
    {
      what: "a tool name that the API does not allow",
      more: { tools: [{ ...TOOL, name: "a b" }] },
      path: "tools[0].name",
    },
    {
      what: "tool_choice any without tools",
      more: { tool_choice: { type: "any" } },
      path: "tool_choice",
    },
    {
      what: "tool_choice of an unknown tool",
      more: { tools: [TOOL], tool_choice: { type: "tool", name: "b" } },
      path: "tool_choice.name",
    },
    {
      what: "a schema together with a forced tool",
      more: {
        tools: [TOOL],
        tool_choice: { type: "any" },
        output_config: { format: { type: "json_schema", schema: { type: "object" } } },
      },
      path: "tool_choice",
    },
    { what: "MCP servers", more: { mcp_servers: [{ name: "x" }] }, path: "mcp_servers" },
    { what: "a container", more: { container: "c1" }, path: "container" },
    {
      what: "a URL of an image",
      more: image({ type: "url", url: "https://example.org/a.png" }),
      path: "messages[0].content[0].source",
    },
    {
      what: "a file id",
      more: image({ type: "file", file_id: "file_1" }),
      path: "messages[0].content[0].source",
    },
    {
      what: "an image that is not base64",
      more: image({ type: "base64", media_type: "image/png", data: "***" }),
      path: "messages[0].content[0].source",
    },
    {
      what: "an image of another type",
      more: image({ type: "base64", media_type: "image/tiff", data: "AAAA" }),
      path: "messages[0].content[0].source",
    },
    { what: "an empty stop sequence", more: { stop_sequences: [""] }, path: "stop_sequences[0]" },
    {
      what: "too small a budget of thinking",
      more: { thinking: { type: "enabled", budget_tokens: 5 } },
      path: "thinking.budget_tokens",
    },
  ])("$what", async ({ more, path }) => {
    const { type, message } = await refused({ ...HELLO, ...more });
    expect(type).toBe("invalid_request_error");
    expect(message).toContain(path);
  });

  it("a body that is not JSON", async () => {
    expect((await refused("{nope")).message).toMatch(/JSON/);
  });
});

describe("POST /v1/messages with a model that does not exist", () => {
  it.each(["gpt-4o", "agent:nobody", "claude-", "../etc"])("answers 404 for %s", async (model) => {
    const { type, message } = await refused({ ...HELLO, model }, 404);
    expect(type).toBe("not_found_error");
    expect(message).toContain(JSON.stringify(model));
  });
});

describe("x-hawser-ignored", () => {
  it("names every parameter without effect once, and the cache marks once", async () => {
    world.script("Hi.");
    const mark = { cache_control: { type: "ephemeral" } };
    const content = [
      { type: "text", text: "One.", ...mark },
      { type: "text", text: "Two.", ...mark, extra: 1 },
    ];
    const body = {
      ...HELLO,
      messages: [{ role: "user", content }],
      system: [{ type: "text", text: "Be terse.", ...mark }],
      temperature: 0.2,
      top_p: 0.5,
      top_k: 3,
      metadata: { user_id: "u" },
      service_tier: "standard_only",
      brand_new: true,
    };
    const response = await world.post("/v1/messages", body, { "anthropic-beta": "x-2026" });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-hawser-ignored")?.split(", ").toSorted()).toEqual(
      [
        "max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "metadata",
        "service_tier",
        "brand_new",
        "cache_control",
        "messages[].content[].extra",
        "anthropic-beta",
      ].toSorted(),
    );
  });
});

describe("GET /v1/models", () => {
  it("lists the models in the shape of the client's API", async () => {
    const anthropic = await world.fetch("/v1/models", {
      headers: { "anthropic-version": "2023-06-01" },
    });
    expect(await anthropic.json()).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ type: "model", id: "sonnet", display_name: "sonnet" }),
      ]),
      has_more: false,
    });
    const openai = await world.fetch("/v1/models");
    expect(await openai.json()).toMatchObject({
      object: "list",
      data: expect.arrayContaining([expect.objectContaining({ object: "model", id: "sonnet" })]),
    });
  });

  it("shows one model, and 404 for another", async () => {
    expect(await (await world.fetch("/v1/models/opus")).json()).toMatchObject({ id: "opus" });
    expect((await world.fetch("/v1/models/nope")).status).toBe(404);
  });
});

describe("POST /v1/messages/count_tokens", () => {
  it("is off by default, and says how to switch it on", async () => {
    const response = await world.post("/v1/messages/count_tokens", HELLO);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("countTokens: true");
  });

  it("gives an estimate that is marked as one", async () => {
    world.gateway.change({ countTokens: true });
    const response = await world.post("/v1/messages/count_tokens", HELLO);
    expect(response.headers.get("x-hawser-estimate")).toBe("true");
    expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
    world.gateway.change({});
  });
});

describe("the option strict", () => {
  it("refuses a parameter without effect, but not those that clients must send", async () => {
    world.gateway.change({ strict: true });
    expect((await refused({ ...HELLO, temperature: 0.1 })).message).toContain("temperature");
    world.script("Hi.");
    expect((await world.post("/v1/messages", HELLO)).status).toBe(200);
    world.gateway.change({});
  });
});
