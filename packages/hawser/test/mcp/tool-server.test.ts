import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isHawserError } from "../../src/base/index.js";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import { client, failed, HELLO, initialized, said } from "./client.helper.js";

const add = tool(
  "add",
  "Adds",
  { a: z.number().describe("first"), b: z.number().default(2), c: z.string().optional() },
  async (args) => said(JSON.stringify(args)),
  {
    annotations: { readOnlyHint: true, title: "Add" },
    title: "Sum",
    searchHint: "arithmetic",
    alwaysLoad: true,
    _meta: { mine: 1 },
  },
);

describe("createSdkMcpServer()", () => {
  it("returns an entry for mcpServers", () => {
    const config = createSdkMcpServer({ name: "srv", tools: [add], timeout: 5000 });
    const { instance, ...plain } = config;
    expect(plain).toEqual({ type: "sdk", name: "srv", timeout: 5000 });
    expect(instance.isConnected()).toBe(false);
  });

  it("answers the handshake with the requested protocol version, or the newest known one", async () => {
    const server = createSdkMcpServer({ name: "srv", version: "3.1.0", instructions: "Use me." });
    const { request, notify } = await client(server.instance);
    const answer = (protocolVersion: string) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "srv", version: "3.1.0" },
      instructions: "Use me.",
    });
    expect(await request("initialize", HELLO)).toEqual({
      jsonrpc: "2.0",
      id: 0,
      result: answer("2025-11-25"),
    });
    await notify("notifications/initialized");
    const older = await request("initialize", { ...HELLO, protocolVersion: "2024-11-05" });
    expect(older?.result).toEqual(answer("2024-11-05"));
    const unknown = await request("initialize", { ...HELLO, protocolVersion: "2099-01-01" });
    expect(unknown?.result).toEqual(answer("2025-11-25"));
  });

  it("lists its tools in the form of the official SDK", async () => {
    const server = createSdkMcpServer({ name: "srv", tools: [add] });
    const { request } = await client(server.instance);
    expect((await request("tools/list"))?.result).toEqual({
      tools: [
        {
          name: "add",
          title: "Sum",
          description: "Adds",
          inputSchema: {
            $schema: "http://json-schema.org/draft-07/schema#",
            type: "object",
            properties: {
              a: { type: "number", description: "first" },
              b: { type: "number", default: 2 },
              c: { type: "string" },
            },
            required: ["a"],
          },
          annotations: { readOnlyHint: true, title: "Add" },
          _meta: { mine: 1, "anthropic/searchHint": "arithmetic", "anthropic/alwaysLoad": true },
        },
      ],
    });
  });

  it("marks every tool with alwaysLoad: true", async () => {
    const plain = tool("plain", "", {}, async () => said(""));
    const server = createSdkMcpServer({ name: "srv", tools: [plain], alwaysLoad: true });
    const { request } = await client(server.instance);
    expect((await request("tools/list"))?.result).toMatchObject({
      tools: [{ name: "plain", _meta: { "anthropic/alwaysLoad": true } }],
    });
    expect(plain._meta).toBeUndefined();
  });

  it("answers a ping, and answers an unknown method with an error", async () => {
    const { request } = await client(createSdkMcpServer({ name: "srv" }).instance);
    expect((await request("ping"))?.result).toEqual({});
    expect((await request("tools/list"))?.result).toEqual({ tools: [] });
    expect((await request("resources/list"))?.error).toEqual({
      code: -32601,
      message: "Method not found",
    });
    expect((await request("tools/call"))?.error).toEqual({
      code: -32602,
      message: "Invalid params: name must be a string",
    });
    expect((await request("tools/call", { name: "x", arguments: [1] }))?.error).toEqual({
      code: -32602,
      message: "Invalid params: arguments must be an object",
    });
  });

  it("answers a call of an unknown tool as the MCP SDK does", async () => {
    const { call } = await initialized(createSdkMcpServer({ name: "srv" }).instance);
    expect(await call("nosuch")).toEqual(failed("MCP error -32602: Tool nosuch not found"));
  });

  it("serves several links at once, and keeps the others when one closes", async () => {
    const server = createSdkMcpServer({ name: "srv", tools: [add] });
    const clients = await Promise.all([1, 2, 3].map(() => initialized(server.instance)));
    await clients[0]?.link.close();
    const answers = await Promise.all(clients.slice(1).map(({ call }) => call("add", { a: 1 })));
    expect(answers).toEqual([said('{"a":1,"b":2}'), said('{"a":1,"b":2}')]);
    await server.instance.close();
    expect(server.instance.isConnected()).toBe(false);
    await expect(clients[1]?.request("ping")).rejects.toMatchObject({ code: "closed" });
  });
});

describe("createSdkMcpServer() with invalid tools", () => {
  const noop = async () => said("");
  const refused = (make: () => unknown): unknown => {
    try {
      make();
    } catch (error) {
      if (isHawserError(error, "invalid_options")) return error.issues ?? error.message;
      throw error;
    }
    return undefined;
  };

  it("refuses duplicate names, empty names, and a missing handler", () => {
    const tools = [
      tool("a", "", {}, noop),
      tool("a", "", {}, noop),
      tool("", "", {}, noop),
      { ...tool("b", "", {}, noop), handler: undefined as never },
    ];
    expect(refused(() => createSdkMcpServer({ name: "", tools }))).toEqual([
      { path: "name", message: "must be a non-empty string" },
      { path: "tools[1].name", message: '"a" is used twice' },
      { path: "tools[2].name", message: "must be a non-empty string" },
      { path: "tools[3].handler", message: "must be a function" },
    ]);
  });

  it.each([
    ["a value that is not a schema", { a: 1 }, 'The input of the tool "t" of "s" is not a schema.'],
    [
      "a mix of schemas and other values",
      { a: z.string(), b: 1 },
      'The input of the tool "t" of "s" is not a schema.',
    ],
    [
      "JSON Schema of another type than object",
      { type: "string" },
      'The input of the tool "t" of "s" is not a schema.',
    ],
    [
      "a schema of another type than object",
      z.string(),
      'The input of the tool "t" of "s" does not describe an object.',
    ],
    ["nothing", undefined as never, 'The input of the tool "t" of "s" is not a schema.'],
    [
      "a type that JSON Schema cannot express",
      { at: z.date() },
      'The input of the tool "t" of "s", argument "at", cannot be described in JSON Schema: Date cannot be represented in JSON Schema',
    ],
  ])("refuses %s as the input", (_what, schema, message) => {
    const tools = [tool("t", "", schema as Record<string, unknown>, noop)];
    expect(refused(() => createSdkMcpServer({ name: "s", tools }))).toBe(message);
  });
});
