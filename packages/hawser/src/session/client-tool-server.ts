import { createSdkMcpServer, type ToolServerConfig } from "../mcp/index.js";
import { CLIENT_TOOL_SERVER, type Options, offersClientTools } from "../options/index.js";

/**
 * The server that offers the client tools to the CLI, by its name; empty if there are none. A call of a tool
 * is never answered: the turn is interrupted, and the CLI withdraws the call. The hint lets the CLI make
 * several calls at once, so that none of them waits for the answer to another one.
 */
export function clientToolServer(options: Options): Record<string, ToolServerConfig> {
  const { clientTools = [], bare = false } = options;
  if (!offersClientTools(options)) return {};
  const tools = clientTools.map(({ name, description: given, inputSchema }) => {
    const description = bare ? withoutBlankLines(given) : given;
    return { name, description, inputSchema, annotations: { readOnlyHint: true }, handler: park };
  });
  const server = createSdkMcpServer({ name: CLIENT_TOOL_SERVER, tools, alwaysLoad: true });
  return { [CLIENT_TOOL_SERVER]: server };
}

/** Observed: in its minimal mode, the CLI cuts the description of a tool at the first blank line. */
function withoutBlankLines(text: string): string {
  return text.replaceAll(/\n(?=\n)/g, "\n ");
}

/** The call ends when the CLI withdraws it, or with the connection. */
function park(): Promise<never> {
  return new Promise(() => {});
}
