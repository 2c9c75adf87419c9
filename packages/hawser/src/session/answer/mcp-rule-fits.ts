import { matchesWildcard, mcpToolPrefix } from "../../options/index.js";

/** A tool of an MCP server, as it is known by the names of the servers. */
export interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * Whether the tool pattern of a rule fits the tool of an MCP server. `mcp__a` and `mcp__a__*` mean
 * all tools of server `a`, and not those of a server `a__b`. If no known server has the tool, each
 * place where its name could be parted counts: a rule that allows must fit all of them, any other rule
 * one.
 */
export function mcpRuleFits(
  pattern: string,
  name: string,
  allows: boolean,
  servers: readonly string[],
): boolean {
  // No tool has such a name. The model can write one, as the server of a resource.
  if (name.length > LONGEST) return !allows;
  const known = servers.map(mcpToolPrefix).filter((prefix) => name.startsWith(prefix));
  const tools = known.length > 0 ? known.map((it) => toolAt(name, it.length)) : partings(name);
  if (tools.length === 0) return matchesWildcard(pattern, name);
  const fits = (tool: McpTool) => fitsTool(pattern, name, tool);
  return allows ? tools.every(fits) : tools.some(fits);
}

/** The name of a server in a rule may be the configured one, which the CLI changes for its tools. */
function fitsTool(rule: string, name: string, { server, tool }: McpTool): boolean {
  const pattern = rule.replace(/[^a-zA-Z0-9_*-]/g, "_");
  if (pattern === `${MCP}${server}`) return true;
  const parted = pattern.startsWith(MCP) ? partings(pattern) : [];
  if (parted.length === 0) return matchesWildcard(pattern, name);
  return parted.some(
    (rule) => matchesWildcard(rule.server, server) && matchesWildcard(rule.tool, tool),
  );
}

/** Every way to read `mcp__<server>__<tool>`. */
function partings(name: string): readonly McpTool[] {
  const all: McpTool[] = [];
  for (let at = name.indexOf("__", MCP.length + 1); at >= 0; at = name.indexOf("__", at + 1)) {
    all.push(toolAt(name, at + 2));
  }
  return all;
}

function toolAt(name: string, at: number): McpTool {
  return { server: name.slice(MCP.length, at - 2), tool: name.slice(at) };
}

const MCP = "mcp__";

/** Longer than the API accepts for the name of a tool. */
const LONGEST = 512;
