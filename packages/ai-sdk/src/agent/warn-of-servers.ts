import { isSystem, type Message } from "hawser";
import type { CallWarnings } from "../call-warnings.js";

/**
 * Warns of MCP servers that did not start. The CLI goes on without their tools and says nothing. `requireMcp` of the
 * agent makes it an error.
 */
export function warnOfServers(message: Message, warnings: CallWarnings): void {
  if (!isSystem(message, "init")) return;
  for (const { name, status } of message.mcp_servers) {
    const why = REASONS[status];
    if (why !== undefined)
      warnings.unsupported(`MCP server ${name}`, `Its tools are missing: ${why}`);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  failed: "the server did not start, or did not answer.",
  "needs-auth":
    "the server needs a login. Log in with the CLI (`claude`, then `/mcp`), or pass `headers`.",
};
