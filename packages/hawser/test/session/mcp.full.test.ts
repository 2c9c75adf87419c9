import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { describe, expect, it } from "vitest";
import { createSdkMcpServer, tool } from "../../src/mcp/index.js";
import type { McpServerConfig } from "../../src/options/index.js";
import { openSession, type Session } from "../../src/session/index.js";
import { text, toolUse } from "../../src/testing/index.js";
import { isSystem, type Message } from "../../src/wire/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";
import { treeOf, until } from "../support/proc.js";
import { type World, world } from "../support/world.js";

/** A server of two tools, written by hand: one says something, one asks the person something. */
const SERVER = `
import { createInterface } from "node:readline";
const tools = ["say", "ask"].map((name) => ({
  name,
  inputSchema: { type: "object" },
  _meta: { "anthropic/alwaysLoad": true },
}));
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const said = (text) => ({ content: [{ type: "text", text }] });
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
let asking;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "tiny", version: "1.0.0" };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "tools/list") send({ id, result: { tools } });
  else if (method === "tools/call" && params.name === "say") {
    send({ id, result: said("said by " + process.argv[2]) });
  } else if (method === "tools/call") {
    asking = id;
    send({ id: "q", method: "elicitation/create", params: { message: "Who?", requestedSchema } });
  } else if (id === "q") send({ id: asking, result: said(JSON.stringify(result)) });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
}
`;

/** The command line that starts it. */
function stdioServer(cwd: string, name: string): McpServerConfig {
  const path = join(cwd, "server.mjs");
  writeFileSync(path, SERVER);
  return { command: process.execPath, args: [path, name] };
}

const BROKEN: McpServerConfig = { command: "/nowhere/at-all", args: [] };

function inProcess(name: string): McpServerConfig {
  const say = tool("say", "Says.", {}, async () => ({
    content: [{ type: "text", text: `said by ${name}` }],
  }));
  return createSdkMcpServer({ name, tools: [say], alwaysLoad: true });
}

async function states(session: Session): Promise<Record<string, string>> {
  const servers = await session.mcpServerStatus();
  return Object.fromEntries(servers.map(({ name, status }) => [name, status]));
}

/** What a tool said, by the model's next request. */
async function call({ session, model }: World & { session: Session }): Promise<string | undefined> {
  await session.send("call it").text();
  return model.calls.at(-1)?.toolResults[0]?.text;
}

describe.each(clisInTurn())("stdio MCP servers on $name", ({ path }) => {
  it("are used if they start, and reported as failed if they do not", async () => {
    const place = await open(path, [toolUse("mcp__tiny__say"), text("done")], (cwd) => ({
      mcpServers: { tiny: stdioServer(cwd, "tiny"), broken: BROKEN },
      requireMcp: ["tiny"],
      allowedTools: ["mcp__tiny__say"],
    }));
    const { session } = place;
    const inits: Message[] = [];
    void (async () => {
      for await (const message of session) if (isSystem(message, "init")) inits.push(message);
    })();
    expect(await call(place)).toContain("said by tiny");
    expect(await session.mcpServerStatus()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: "tiny",
          status: "connected",
          serverInfo: { name: "tiny", version: "1.0.0" },
        }),
        expect.objectContaining({ name: "broken", status: "failed", error: expect.any(String) }),
      ]),
    );
    expect(inits[0]).toMatchObject({
      mcp_servers: expect.arrayContaining([
        expect.objectContaining({ name: "tiny", status: "connected" }),
        expect.objectContaining({ name: "broken", status: "failed" }),
      ]),
    });
  });

  it("make openSession() reject with mcp_failed if requireMcp names one that fails", async () => {
    const { options, cwd } = await world(path, []);
    const mcpServers = { tiny: stdioServer(cwd, "tiny"), broken: BROKEN };
    const opening = openSession({ ...options, mcpServers, requireMcp: true });
    await expect(opening).rejects.toMatchObject({
      code: "mcp_failed",
      message: expect.stringMatching(/broken \(failed/),
    });
    const unknown = openSession({ ...options, requireMcp: ["other"] });
    await expect(unknown).rejects.toMatchObject({
      code: "mcp_failed",
      message: expect.stringContaining("other"),
    });
    expect(treeOf(process.pid).filter(({ command }) => command.includes(path))).toEqual([]);
  });

  it("ask the user by onElicitation", async () => {
    const asked: unknown[] = [];
    const ask = [toolUse("mcp__tiny__ask"), text("done")];
    const place = await open(path, [...ask, ...ask], (cwd) => ({
      mcpServers: { tiny: stdioServer(cwd, "tiny") },
      requireMcp: true,
      allowedTools: ["mcp__tiny__ask"],
      onElicitation: async (request) => {
        asked.push(request);
        if (asked.length > 1) return { action: "decline" };
        return { action: "accept", content: { name: "Ada" } };
      },
    }));
    expect(await call(place)).toContain('{"action":"accept","content":{"name":"Ada"}}');
    expect(await call(place)).toContain('{"action":"decline"}');
    const question = { serverName: "tiny", message: "Who?", mode: "form" };
    expect(asked).toMatchObject([question, question]);
  });

  it("get decline as the answer without onElicitation", async () => {
    const place = await open(path, [toolUse("mcp__tiny__ask"), text("done")], (cwd) => ({
      mcpServers: { tiny: stdioServer(cwd, "tiny") },
      requireMcp: true,
      allowedTools: ["mcp__tiny__ask"],
    }));
    expect(await call(place)).toContain('{"action":"decline"}');
  });
});

describe.each(clisInTurn())("Session.setMcpServers() on $name", ({ path }) => {
  it("adds, replaces and removes servers, which can be toggled and reconnected", async () => {
    const own = inProcess("own");
    const place = await open(
      path,
      ["mcp__own__say", "mcp__added__say", "mcp__tiny__say"].flatMap((name) => [
        toolUse(name),
        text("done"),
      ]),
      () => ({
        mcpServers: { own },
        requireMcp: true,
        allowedTools: ["mcp__own__say", "mcp__added__say", "mcp__tiny__say"],
      }),
    );
    const { session, cwd } = place;
    expect(await call(place)).toContain("said by own");
    expect(await states(session)).toEqual({ own: "connected" });

    expect(await session.setMcpServers({ own, added: inProcess("added") })).toEqual({
      added: ["added"],
      removed: [],
      errors: {},
    });
    expect(await call(place)).toContain("said by added");

    const tiny = stdioServer(cwd, "tiny");
    expect(await session.setMcpServers({ own, tiny, broken: BROKEN })).toEqual({
      added: expect.arrayContaining(["tiny"]),
      removed: ["added"],
      errors: { broken: expect.any(String) },
    });
    expect(await states(session)).toMatchObject({ own: "connected", tiny: "connected" });
    expect(await call(place)).toContain("said by tiny");

    await session.toggleMcpServer("tiny", false);
    expect(await states(session)).toMatchObject({ tiny: "disabled" });
    await session.toggleMcpServer("tiny", true);
    expect(await states(session)).toMatchObject({ tiny: "connected" });
    await session.reconnectMcpServer("tiny");
    expect(await states(session)).toMatchObject({ own: "connected", tiny: "connected" });
    await expect(session.reconnectMcpServer("unknown")).rejects.toMatchObject({
      code: "control_error",
    });
  });

  it("replaces an in-process server by another one with the same name", async () => {
    const place = await open(
      path,
      [toolUse("mcp__it__say"), text("done"), toolUse("mcp__it__say"), text("done")],
      () => ({ allowedTools: ["mcp__it__say"], mcpServers: { it: inProcess("the first") } }),
    );
    const { session } = place;
    expect(await call(place)).toContain("said by the first");
    expect(await session.setMcpServers({ it: inProcess("the second") })).toEqual({
      added: ["it"],
      removed: ["it"],
      errors: {},
    });
    expect(await call(place)).toContain("said by the second");
  });

  it("keeps the order of concurrent calls", async () => {
    const place = await open(path, [toolUse("mcp__it__say"), text("done")], () => ({
      allowedTools: ["mcp__it__say"],
      mcpServers: { it: inProcess("the first") },
    }));
    const { session } = place;
    await Promise.all([
      session.setMcpServers({ it: inProcess("the second") }),
      session.setMcpServers({ it: inProcess("the last") }),
    ]);
    await until(async () => (await states(session))["it"] === "connected");
    expect(await call(place)).toContain("said by the last");
  });

  it("connects an instance that was in use by another session before", async () => {
    const instance = new McpServer({ name: "it", version: "1.0.0" });
    instance.registerTool("say", { _meta: { "anthropic/alwaysLoad": true } }, async () => ({
      content: [{ type: "text", text: "said at last" }],
    }));
    const it: McpServerConfig = { type: "sdk", name: "it", instance };
    const { session: owner } = await open(path, [], { mcpServers: { it } });
    const place = await open(path, [text("hello"), toolUse("mcp__it__say"), text("done")], {
      mcpServers: { it },
      allowedTools: ["mcp__it__say"],
    });
    const { session } = place;
    // An older CLI shakes hands no sooner than this.
    await session.send("hello").text();
    expect(await states(session)).toEqual({ it: "failed" });
    await owner.close();
    await session.setMcpServers({ it });
    await until(async () => (await states(session))["it"] === "connected");
    expect(await call(place)).toContain("said at last");
  });
});
