// The MCP servers. The CLI is the client of servers in the host. Other servers count as connected.
import { randomUUID } from "node:crypto";
import { configuredServers } from "./flags.mjs";
import { ask } from "./host.mjs";
import { scenario, version } from "./scenario.mjs";
import { turn } from "./turn.mjs";

const LIMIT_MS = 30_000;
const servers = new Map();
const scripted = scenario.mcp ?? {};
let others = new Set([...configuredServers, ...Object.keys(scripted)]);
let ids = 0;

/** Performs the handshake with each server, unless the host has sent its result along. */
export function connect(names = [], manifests = {}) {
  for (const name of names) {
    const server = { name, status: "pending", tools: [] };
    servers.set(name, server);
    const manifest = manifests[name];
    if (manifest === undefined) server.ready = greet(server);
    else welcome(server, manifest.initializeResult, manifest.toolsListResult);
  }
}

/** Replaces the servers in the host. */
export function replace(names) {
  const removed = [...servers.keys()];
  servers.clear();
  others = new Set([...configuredServers, ...Object.keys(scripted), ...names]);
  return removed;
}

/** Resolves when no handshake is running. */
export function connected() {
  return Promise.all([...servers.values()].map(({ ready }) => ready));
}

/** All servers, in the form of an init line. */
export function serversNow() {
  return [
    ...otherServers().map(({ name, status }) => ({ name, status, source: "dynamic" })),
    ...[...servers.values()].map(({ name, status }) => ({
      name,
      status: scripted[name] ?? status,
      source: "sdk",
    })),
  ];
}

/** All servers, in the form of `mcp_status`. */
export function serverDetails() {
  return [
    ...otherServers().map((server) => ({ ...server, scope: "dynamic" })),
    ...[...servers.values()].map(({ ready: _, tools, ...server }) => ({
      ...server,
      ...statusOf(server.name, server.status),
      tools: tools.map(({ name }) => ({ name })),
      transport: "sdk",
      scope: "dynamic",
      source: "sdk",
    })),
  ];
}

function otherServers() {
  const names = [...others].filter((name) => !servers.has(name));
  return names.map((name) => ({ name, ...statusOf(name, "connected") }));
}

function statusOf(name, usual) {
  const status = scripted[name] ?? usual;
  return scripted[name] === "failed" ? { status, error: "Connection closed" } : { status };
}

/** The tools of the servers in the host. */
export function toolNames() {
  return [...servers.values()].flatMap(({ name, tools }) =>
    tools.map((tool) => `${isBare ? "" : prefixOf(name)}${tool.name}`),
  );
}

/** Whether the tools of servers in the host have no prefix. */
const isBare = Boolean(process.env["CLAUDE_AGENT_SDK_MCP_NO_PREFIX"]);

/** Whether a connected server has this tool. The tools of servers outside the host are not known. */
export function isServed(name) {
  const server = serverOf(name);
  const up = serversNow().some((each) => each.name === server && each.status === "connected");
  return up && (!servers.has(server) || toolNames().includes(name));
}

/** The server in the host and the tool for a name; undefined if there is no such server. */
export function ownerOf(name) {
  if (isBare) {
    const owner = [...servers.values()].find(({ tools }) =>
      tools.some((each) => each.name === name),
    );
    return owner && { server: owner.name, tool: name };
  }
  const server = serverOf(name);
  return servers.has(server) ? { server, tool: name.slice(prefixOf(server).length) } : undefined;
}

/** The longest match, because one server's name may begin with another's. */
function serverOf(name) {
  const fitting = serversNow().filter((server) => name.startsWith(prefixOf(server.name)));
  return fitting.sort((a, b) => b.name.length - a.name.length)[0]?.name;
}

function prefixOf(server) {
  return `mcp__${server.replace(/[^\w-]/g, "_")}__`;
}

/** `{ content }` or `{ error }`. */
export async function callTool({ server, tool }, input, toolUseId) {
  const progressToken = ids++;
  const id = `${CONNECTION}:${progressToken}`;
  const _meta = { "claudecode/toolUseId": toolUseId, progressToken };
  const params = { name: tool, arguments: input, _meta };
  const takeBack = () => notify(server, "notifications/cancelled", { requestId: id, reason: STOP });
  const options = { signal: turn.stop.signal, takeBack };
  const { result, error } = await send(server, { method: "tools/call", params, id }, options);
  if (error !== undefined) return { error: error.message };
  if (result.isError) return { error: result.content.map(({ text = "" }) => text).join("\n") };
  return { content: result.content };
}

/** The CLI numbers calls of tools by connection since 2.1.326. */
const CONNECTION = randomUUID().slice(0, 8);
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

/** @param {object} server @param {{ serverInfo?: object }} [first] @param {{ tools?: object[] }} [list] */
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
