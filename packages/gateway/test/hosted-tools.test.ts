import { describe, expect, it } from "vitest";
import { gatewayWorld } from "./support/gateway-world.js";

const world = gatewayWorld({ hostedTools: "ignore", countTokens: true });
const MODEL = "claude-sonnet-5";
const messages = [{ role: "user", content: "Name a knot." }];
const SCHEMA = { type: "object", properties: {} };

const REQUESTS = [
  {
    path: "/v1/messages",
    body: {
      messages,
      max_tokens: 100,
      tools: [
        { name: "weather", input_schema: SCHEMA },
        { type: "web_search_20250305", name: "web_search", max_uses: 3 },
        { type: "computer_20250124", name: "computer", display_width_px: 1, display_height_px: 1 },
      ],
    },
    ignored: ["tools[] (web_search_20250305 left out)", "tools[] (computer_20250124 left out)"],
    tools: ["weather"],
    param: "tools[1]",
  },
  {
    path: "/v1/responses",
    body: {
      input: "Name a knot.",
      tools: [
        { type: "function", name: "weather", parameters: SCHEMA, strict: false },
        { type: "web_search", external_web_access: false },
        { type: "code_interpreter", container: { type: "auto" } },
      ],
    },
    ignored: ["tools[] (web_search left out)", "tools[] (code_interpreter left out)"],
    tools: ["weather"],
    param: "tools[1]",
  },
  {
    path: "/v1/chat/completions",
    body: { messages, web_search_options: {} },
    ignored: ["web_search_options (web_search left out)"],
    tools: [],
    param: "web_search_options",
  },
];

describe("the setting hostedTools", () => {
  it.each(REQUESTS)(
    '"ignore" leaves the tools out of $path and names them',
    async ({ path, body, ignored, tools }) => {
      world.script("A bowline.");
      const response = await world.post(path, { model: MODEL, ...body });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toContain("A bowline.");
      expect(response.headers.get("x-hawser-ignored")?.split(", ")).toEqual(
        expect.arrayContaining(ignored),
      );
      expect(world.calls[0]?.tools).toEqual(tools);
    },
  );

  it("leaves the tools out of the response that POST /v1/responses gives", async () => {
    world.script("A bowline.");
    const tools = [{ type: "web_search" }];
    const response = await world.post("/v1/responses", { model: MODEL, input: "Hi.", tools });
    expect(await response.json()).toMatchObject({ tools: [] });
  });

  it("holds for count_tokens", async () => {
    const { body } = REQUESTS[0] ?? {};
    const response = await world.post("/v1/messages/count_tokens", { model: MODEL, ...body });
    expect(response.status).toBe(200);
  });

  it("does not leave out a tool of a type that nobody has", async () => {
    const tools = [{ type: "function", name: "weather", input_schema: SCHEMA }];
    const body = { model: MODEL, max_tokens: 100, messages, tools };
    const response = await world.post("/v1/messages", body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("tools[0].type");
  });

  it('"ignore" with strict refuses what would be left out', async () => {
    world.gateway.change({ hostedTools: "ignore", strict: true });
    const tools = [{ type: "web_search" }];
    const response = await world.post("/v1/responses", { model: MODEL, input: "Hi.", tools });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("web_search left out");
  });

  it.each(REQUESTS)('"refuse" is the default for $path', async ({ path, body, param }) => {
    world.gateway.change({});
    const response = await world.post(path, { model: MODEL, ...body });
    const { error } = (await response.json()) as { error: { message: string } };
    expect(response.status).toBe(400);
    expect(error.message).toContain(`\`${param}\``);
    expect(error.message).toContain('hostedTools: "ignore"');
  });
});
