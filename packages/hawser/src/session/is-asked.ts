import type { Options } from "../options/index.js";

/** Whether the CLI may have to ask this side: by a hook, for a permission, or for a tool call. */
export function usesHostCallbacks(options: Options): boolean {
  const { hooks, canUseTool, onElicitation, onUserDialog, rules, mcpServers } = options;
  const asked = [hooks, canUseTool, onElicitation, onUserDialog, rules];
  if (asked.some((each) => each !== undefined)) return true;
  const servers = typeof mcpServers === "object" ? Object.values(mcpServers) : [];
  return servers.some(({ type }) => type === "sdk");
}
