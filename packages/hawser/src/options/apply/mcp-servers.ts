import { isHarmlessHeader, secretsInArguments, secretsInUrl } from "../../base/index.js";
import { addFile, addFlag, addPair, type Draft } from "../invocation/draft.js";
import type { McpSdkServer, McpServerConfig } from "../types/mcp-config.js";
import { type McpServers, readMcpServers } from "../validate/kinds/mcp-servers.js";

/**
 * Servers that the CLI starts are sent in a private file, because their arguments, variables,
 * headers and URLs may all be secret. Of servers inside this program, the names are sent.
 */
export function applyMcpServers(draft: Draft, value: McpServers | string): void {
  const source = readMcpServers(value);
  if (source.from === "file") {
    addPair(draft, "mcpServers", "--mcp-config", source.path);
    beStrict(draft);
  } else applyMap(draft, source.servers);
}

function applyMap(draft: Draft, servers: McpServers): void {
  const all = Object.entries(servers);
  const inside = all.flatMap(([name, server]) => (server.type === "sdk" ? { name, server } : []));
  const outside = all.filter(([, server]) => server.type !== "sdk");
  if (all.length === 0) return;
  if (inside.length > 0) draft.initialize.sdkMcpServers = inside.map(({ name }) => name);
  const configured = inside.filter(({ server }) => server.timeout ?? server.tools);
  if (configured.length > 0) {
    const configs = configured.map(({ name, server }) => [name, configOf(server)]);
    draft.initialize.sdkMcpServerConfigs = Object.fromEntries(configs);
  }
  if (outside.length > 0) {
    for (const [, server] of outside) addSecrets(draft, server);
    const contents = JSON.stringify({ mcpServers: Object.fromEntries(outside) });
    addPair(draft, "mcpServers", "--mcp-config", addFile(draft, "mcp.json", contents));
  }
  beStrict(draft);
}

/** What the CLI must know about a server inside this program. */
function configOf({ timeout, tools }: McpSdkServer): object {
  return {
    ...(timeout === undefined ? {} : { timeout }),
    ...(tools === undefined ? {} : { tools }),
  };
}

/**
 * Makes `strictMcpConfig` the default if there are servers. If the option is set, its own row sends
 * it.
 */
function beStrict(draft: Draft): void {
  if (draft.options.strictMcpConfig === undefined) {
    addFlag(draft, "strictMcpConfig", "--strict-mcp-config");
  }
}

function addSecrets({ secrets }: Draft, server: McpServerConfig): void {
  if ("env" in server) for (const value of Object.values(server.env ?? {})) secrets.add(value);
  if ("args" in server)
    for (const value of secretsInArguments(server.args ?? [])) secrets.add(value);
  if (!("url" in server)) return;
  for (const [name, value] of Object.entries(server.headers ?? {})) {
    if (!isHarmlessHeader(name)) secrets.add(value);
  }
  for (const value of secretsInUrl(server.url)) secrets.add(value);
}
