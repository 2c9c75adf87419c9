// The MCP servers that live in the host: the CLI is their client.
import { ask } from "./host.mjs";
import { version } from "./scenario.mjs";
import { turn } from "./turn.mjs";

const LIMIT_MS = 30_000;
const servers = new Map();
let ids = 0;

/** Greets each of them, unless the host has sent along what they would say. */
export function connect(names = [], manifests = {}) {
  for (const name of names) {
    const server = { name, status: "pending", tools: [] };
    servers.set(name, server);
    const manifest = manifests[name];
    if (manifest === undefined) server.ready = greet(server);
    else welcome(server, manifest.initializeResult, manifest.toolsListResult);
  }
}

export function disconnect() {
  const names = [...servers.keys()];
  servers.clear();
  return names;
}

/** When no greeting is under way. */
export function connected() {
  return Promise.all([...servers.values()].map(({ ready }) => ready));
}

export function serversNow() {
  return [...servers.values()];
}

/** The server and the tool that a name stands for; undefined if there is no such server. */
export function ownerOf(name) {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return servers.has(server) ? { server, tool } : undefined;
}

/** `{ content }` or `{ error }`. */
export async function callTool({ server, tool }, input, toolUseId) {
  const id = ids++;
  const _meta = { "claudecode/toolUseId": toolUseId, progressToken: id };
  const params = { name: tool, arguments: input, _meta };
  const takeBack = () => notify(server, "notifications/cancelled", { requestId: id, reason: STOP });
  const options = { signal: turn.stop.signal, takeBack };
  const { result, error } = await send(server, { method: "tools/call", params, id }, options);
  if (error !== undefined) return { error: error.message };
  if (result.isError) return { error: result.content.map(({ text = "" }) => text).join("\n") };
  return { content: result.content };
}

const STOP = "AbortError: remote-cancel";

async function greet(server) {
  const { name } = server;
  const options = { limitMs: LIMIT_MS };
  const clientInfo = { name: "claude-code", version: version.split(" ", 1)[0] };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const first = await send(name, { method: "initialize", params, id: ids++ }, options);
  if (first.error !== undefined) return fail(server, first.error);
  notify(name, "notifications/initialized");
  const list = await send(name, { method: "tools/list", id: ids++ }, options);
  if (list.error !== undefined) return fail(server, list.error);
  return welcome(server, first.result, list.result);
}

function welcome(server, { serverInfo } = {}, { tools = [] } = {}) {
  Object.assign(server, { status: "connected", serverInfo, tools });
}

function fail(server, { message }) {
  Object.assign(server, { status: "failed", error: message });
}

async function notify(server, method, params) {
  await send(server, { method, params });
}

async function send(server_name, message, options) {
  const request = { subtype: "mcp_message", server_name, message: { jsonrpc: "2.0", ...message } };
  const { response, error, late } = await ask(request, options);
  if (late) return { error: { message: `No answer within ${LIMIT_MS} ms` } };
  return response?.mcp_response ?? { error: { message: error ?? "No answer" } };
}
