// MCP servers: in this process, as a program, and broken.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { toolUse } from "hawser/testing";
import { z } from "zod";
import { collect, converse, outcome, plain } from "../observe.js";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** @returns {{ content: { type: "text", text: string }[] }} */
const text = (said) => ({ content: [{ type: "text", text: said }] });

export const scenarios = {
  async "a tool with a zod schema"(sdk, place) {
    const shape = {
      a: z.number().describe("the first"),
      b: z.number().int().min(0).optional(),
      mode: z.enum(["fast", "slow"]).default("fast"),
      list: z.array(z.object({ name: z.string() })).optional(),
    };
    const add = async ({ a, b, mode }) => text(`${a + (b ?? 0)} ${mode}`);
    return call(sdk, place, ["sum", "adds", shape, add], { a: 1, b: 2 });
  },

  async "a tool without arguments"(sdk, place) {
    return call(sdk, place, ["now", "says when", {}, async () => text("noon")], {});
  },

  async "arguments that the schema refuses"(sdk, place) {
    const definition = ["sum", "adds", { a: z.number() }, async () => text("never")];
    return call(sdk, place, definition, { a: "one" });
  },

  async "a tool that throws"(sdk, place) {
    const fail = async () => {
      throw new RangeError("the tool broke");
    };
    return call(sdk, place, ["fail", "fails", {}, fail], {});
  },

  async "a tool that says it failed"(sdk, place) {
    const fail = async () => ({ ...text("it did not work"), isError: true });
    return call(sdk, place, ["fail", "fails", {}, fail], {});
  },

  async "a picture as the result"(sdk, place) {
    const image = { type: "image", data: PNG, mimeType: "image/png" };
    const draw = async () => ({ content: [{ type: "text", text: "here" }, image] });
    return call(sdk, place, ["draw", "draws", {}, draw], {});
  },

  async "structured content"(sdk, place) {
    const answer = async () => ({ ...text('{"n":1}'), structuredContent: { n: 1 } });
    return call(sdk, place, ["count", "counts", {}, answer], {});
  },

  async "annotations, and a tool that is always there"(sdk, place) {
    const extras = { annotations: { readOnlyHint: true, title: "Look" }, alwaysLoad: true };
    const look = ["look", "looks", { at: z.string() }, async ({ at }) => text(`at ${at}`), extras];
    return call(sdk, place, look, { at: "it" });
  },

  async "a server with instructions, loaded by a search"(sdk, place) {
    const { server } = toolServer(
      sdk,
      ["sum", "adds numbers", { a: z.number() }, () => text("3")],
      {
        instructions: "Use sum for sums.",
        version: "7.8.9",
      },
    );
    place.model.add(
      toolUse("ToolSearch", { query: "select:mcp__own__sum" }),
      toolUse("mcp__own__sum", { a: 1 }),
      "done",
    );
    const options = place.options({ mcpServers: { own: server }, allowedTools: ["mcp__own__sum"] });
    return collect(sdk.query({ prompt: "go", options }));
  },

  async "a tool that is not allowed, asked about"(sdk, place) {
    const asked = [];
    const canUseTool = async (...told) => {
      asked.push(plain(told));
      return { behavior: "deny", message: "not this one" };
    };
    const definition = ["sum", "adds", { a: z.number() }, async () => text("never")];
    const seen = await call(sdk, place, definition, { a: 1 }, { canUseTool, allowedTools: [] });
    return { ...seen, asked };
  },

  async "a server object of the protocol's own package"(sdk, place) {
    const instance = new McpServer({ name: "raw", version: "1.0.0" });
    const config = { description: "says it back", inputSchema: { said: z.string() } };
    instance.registerTool("echo", config, async ({ said }) => text(said));
    place.model.add(toolUse("mcp__raw__echo", { said: "again" }), "done");
    const mcpServers = { raw: { type: "sdk", name: "raw", instance } };
    const options = place.options({ mcpServers, allowedTools: ["mcp__raw__echo"] });
    return collect(sdk.query({ prompt: "go", options }));
  },

  async "a program that is no server"(sdk, place) {
    place.model.add("ok");
    const mcpServers = { broken: { type: "stdio", command: "false", args: [] } };
    return converse(
      sdk,
      place.options({ mcpServers }),
      async (query) => ({ status: await settled(query, "broken") }),
      "go",
      (query) => outcome(query.reconnectMcpServer("broken")),
      (query) => outcome(query.reconnectMcpServer("nobody")),
    );
  },

  async "a program that is a server"(sdk, place) {
    const file = join(place.cwd, "server.mjs");
    writeFileSync(file, PROGRAM);
    place.model.add(toolUse("mcp__echo__echo", { said: "again" }), "done");
    const mcpServers = { echo: { command: process.execPath, args: [file] } };
    const options = place.options({
      mcpServers,
      strictMcpConfig: true,
      allowedTools: ["mcp__echo__echo"],
    });
    return converse(
      sdk,
      options,
      async (query) => ({ status: await settled(query, "echo") }),
      "go",
      (query) => outcome(query.readMcpResource("echo", "ui://one")),
      (query) => outcome(query.readMcpResource("echo", "test://one")),
      (query) => outcome(query.toggleMcpServer("echo", false)),
      (query) => outcome(query.mcpServerStatus()),
      (query) => outcome(query.toggleMcpServer("echo", true)),
      (query) => settled(query, "echo"),
    );
  },

  async "servers changed in a running session"(sdk, place) {
    const { server, told } = toolServer(sdk, [
      "sum",
      "adds",
      { a: z.number() },
      async ({ a }) => text(String(a + 1)),
      { alwaysLoad: true },
    ]);
    place.model.add("before", toolUse("mcp__own__sum", { a: 1 }), "after", "gone");
    const seen = await converse(
      sdk,
      place.options({ allowedTools: ["mcp__own__sum"] }),
      "first",
      (query) => outcome(query.setMcpServers({ own: server, bad: { command: "false", args: [] } })),
      (query) => outcome(query.mcpServerStatus()),
      "second",
      (query) => outcome(query.setMcpServers({})),
      (query) => outcome(query.mcpServerStatus()),
      "third",
    );
    return { ...seen, told };
  },

  async "a question of a server, answered"(sdk, place) {
    return elicit(sdk, place, async () => ({ action: "accept", content: { name: "Ada" } }));
  },

  async "a question of a server, and nobody to answer"(sdk, place) {
    return elicit(sdk, place, undefined);
  },
};

/** One call of one tool in this process. Returns the input of the tool. */
async function call(sdk, { model, options }, definition, input, more = {}) {
  const { server, told } = toolServer(sdk, definition);
  const name = `mcp__own__${definition[0]}`;
  model.add(toolUse(name, input), "done");
  const all = options({ mcpServers: { own: server }, allowedTools: [name], ...more });
  const seen = await collect(sdk.query({ prompt: "go", options: all }));
  return { ...seen, told, definition: plain({ ...server, instance: undefined }) };
}

/** @param {any} sdk @param {any[]} definition The arguments of tool(). @param {object} [more] */
function toolServer(sdk, [name, description, shape, handler, extras], more = {}) {
  const told = [];
  const record = async (input, extra) => {
    const { signal, _meta } = extra;
    told.push(plain({ input, signal, meta: Object.keys(_meta ?? {}) }));
    return handler(input, extra);
  };
  const tools = [sdk.tool(name, description, shape, record, extras)];
  return { server: sdk.createSdkMcpServer({ name: "own", tools, ...more }), told };
}

/** The status of a server once it is no longer pending. */
async function settled(query, name) {
  for (;;) {
    const servers = await query.mcpServerStatus();
    const server = servers.find((one) => one.name === name);
    if (server !== undefined && server.status !== "pending") return server;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function elicit(sdk, place, onElicitation) {
  const instance = new McpServer({ name: "asks", version: "1.0.0" });
  /** @type {{ type: "object", properties: { name: { type: "string" } }, required: string[] }} */
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  instance.registerTool("ask", { description: "asks", inputSchema: {} }, async () => {
    const params = { message: "Who?", requestedSchema: schema };
    return text(JSON.stringify(await instance.server.elicitInput(params)));
  });
  place.model.add(toolUse("mcp__asks__ask", {}), "done");
  const asked = [];
  const record = async (...told) => {
    asked.push(plain(told));
    return onElicitation(...told);
  };
  const options = place.options({
    mcpServers: { asks: { type: "sdk", name: "asks", instance } },
    allowedTools: ["mcp__asks__ask"],
    ...(onElicitation === undefined ? {} : { onElicitation: record }),
  });
  return { ...(await collect(sdk.query({ prompt: "go", options }))), asked };
}

/** A small server without a package. */
const PROGRAM = `
import { createInterface } from "node:readline";
const results = {
  initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "echo", version: "1.2.3" } },
  "tools/list": { tools: [{ name: "echo", description: "says it back",
    inputSchema: { type: "object", properties: { said: { type: "string" } } } }] },
  "resources/list": { resources: [{ uri: "ui://one", name: "one" }] },
  "resources/read": { contents: [{ uri: "ui://one", mimeType: "text/plain", text: "the one" }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const said = params?.arguments?.said;
  const result = method === "tools/call" ? { content: [{ type: "text", text: said }] } : results[method];
  const answer = result ? { result } : { error: { code: -32601, message: "no such method" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
});
`;
