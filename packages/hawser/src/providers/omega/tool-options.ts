import { HawserError } from "../../base/index.js";
import type { McpServerConfig, Options } from "../../options/index.js";
import type { ContextMcpServer } from "./context.js";

/**
 * Returns one pattern for each server, `mcp__<name>__*`, that covers all of its tools. The name is written
 * as the CLI writes it into the names of tools. Throws `invalid_options` for two servers with one name,
 * because the CLI silently drops one of them.
 */
export function mcpToolPatterns(servers: readonly Pick<ContextMcpServer, "name">[]): string[] {
  const patterns = servers.map(({ name }) => `mcp__${toolNamePart(name)}__*`);
  const second = patterns.findIndex((pattern, i) => patterns.indexOf(pattern) !== i);
  if (second === -1) return patterns;
  const names = servers.map(({ name }) => name);
  const first = names[patterns.indexOf(patterns[second] ?? "")];
  const message = `has the same name for the CLI as "${first}"`;
  throw new HawserError("invalid_options", `The MCP server "${names[second]}" ${message}.`, {
    hint: "Give each server a unique name. Characters other than letters, digits, - and _ count as _.",
    issues: [{ path: `mcpServers[${second}].name`, message }],
  });
}

/** The name as the CLI writes it. In names of claude.ai servers the CLI also joins underscores. */
function toolNamePart(name: string): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (!name.startsWith("claude.ai ")) return plain;
  return plain.replace(/_+/g, "_").replace(/^_|_$/g, "");
}

/**
 * A list of tools restricts: only the built-in tools in it exist, and they need no approval.
 * An empty list is full access: all tools exist, and every request for approval is granted. That is
 * not the CLI's way to skip permissions, which it refuses as root and which deny rules do not survive.
 * The provider's own `tools`, if given, are the built-in tools that exist in either case.
 */
export function toolOptions(
  list: readonly string[],
  servers: readonly ContextMcpServer[],
  own: Pick<Options, "tools" | "disallowedTools">,
): Pick<Options, "tools" | "allowedTools" | "disallowedTools" | "canUseTool" | "strictMcpConfig"> {
  const allowedTools = [...list, ...mcpToolPatterns(servers)];
  // The list does not contain the servers of the user's settings, so they are left out.
  const strict = list.length > 0 || Array.isArray(own.tools) ? { strictMcpConfig: true } : {};
  if (list.length > 0) {
    const builtIn = list.filter((rule) => !rule.startsWith("mcp__"));
    return { allowedTools, ...strict, tools: own.tools ?? builtIn.map(toolNameOf) };
  }
  return {
    allowedTools,
    ...strict,
    tools: own.tools ?? EVERY_TOOL,
    disallowedTools: [...(own.disallowedTools ?? []), ...askingTools(own)],
    canUseTool: async () => ({ behavior: "allow" }),
  };
}

const EVERY_TOOL = { type: "preset", preset: "claude_code" } as const;

/**
 * The CLI offers these only to a host that answers requests for approval, because it takes a person to
 * answer them. Here a program answers, and allowing the question leaves it without an answer. A caller
 * that names such a tool in `tools` has hooks that answer it.
 */
const ASKING_TOOLS = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

function askingTools({ tools }: Pick<Options, "tools">): string[] {
  const named: readonly string[] = Array.isArray(tools) ? tools : [];
  return ASKING_TOOLS.filter((tool) => !named.includes(tool));
}

/** The name of the tool in a rule such as `Bash(git *)`. */
function toolNameOf(rule: string): string {
  return rule.split("(", 1)[0] ?? rule;
}

/** The servers as an option of the call. No settings file is changed. */
export function serverOptions(servers: readonly ContextMcpServer[]): Pick<Options, "mcpServers"> {
  if (servers.length === 0) return {};
  const entries = servers.map(({ name, command, args, env }): [string, McpServerConfig] => [
    name,
    { command, args: [...(args ?? [])], ...(env === undefined ? {} : { env: { ...env } }) },
  ]);
  return { mcpServers: Object.fromEntries(entries) };
}
