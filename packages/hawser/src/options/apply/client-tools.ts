import type { Draft } from "../invocation/draft.js";
import type { Options } from "../options.js";

/**
 * Names the server of the client tools, and approves its tools. The variables let the model see them as given: the
 * CLI shows the tools of servers inside this program without the name of the server, and whole descriptions
 * (observed: 2.1.325 cuts them after 4096 characters otherwise; 2.1.197 always cuts them after 2048).
 */
export function applyClientTools({ initialize, permissions, env, options }: Draft): void {
  if (!offersClientTools(options)) return;
  initialize.sdkMcpServers = [CLIENT_TOOL_SERVER];
  permissions.allow.push(`mcp__${CLIENT_TOOL_SERVER}`);
  env.set("CLAUDE_AGENT_SDK_MCP_NO_PREFIX", "1");
  env.set("CLAUDE_CODE_MAX_MCP_DESCRIPTION_LENGTH", "1000000");
}

/**
 * Whether the model has the client tools. It has none with `none`, and is asked for a value that stands for
 * the call if it must call a tool.
 */
export function offersClientTools({ clientTools = [], toolChoice = "auto" }: Options): boolean {
  return clientTools.length > 0 && toolChoice === "auto";
}

/** The name of the server inside this program that offers the client tools. */
export const CLIENT_TOOL_SERVER = "client_tools";
