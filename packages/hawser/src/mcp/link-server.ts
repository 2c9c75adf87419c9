import {
  HawserError,
  isHawserError,
  type ReportFault,
  textOf,
  withTimeout,
} from "../base/index.js";
import type { McpMessage, McpReply } from "../wire/index.js";
import { LinkTransport } from "./link-transport.js";
import type { McpTransport } from "./mcp-transport.js";

/** The link between the CLI and an MCP server of this program. */
export interface McpLink {
  /**
   * Gives the server a message of the CLI. A request resolves with its reply, or with undefined if
   * the CLI cancels it; any other message resolves with undefined at once. Rejects with `closed`.
   */
  receive(message: McpMessage): Promise<McpReply | undefined>;
  /** Closes the link, but not the server, which can be linked again. */
  close(): Promise<void>;
}

export interface LinkOptions {
  /** The time limit for the server to connect; 30 s by default. */
  readonly connectMs?: number;
  /** Reports a tool handler that throws. */
  readonly report?: ReportFault;
}

/**
 * Links any MCP server object to the CLI. `send` gets the messages that the server sends by itself.
 */
export async function linkServer(
  name: string,
  server: object,
  send: (message: McpMessage) => void,
  { connectMs = 30_000, report }: LinkOptions = {},
): Promise<McpLink> {
  const connect = connectOf(name, server);
  if (isConnected(server)) throw alreadyConnected(name);
  const transport = new LinkTransport(name, send, report);
  try {
    await withTimeout(connect.call(server, transport), connectMs, () => {
      throw new Error(`no connection within ${connectMs} ms`);
    });
    if (transport.onmessage === undefined) throw new Error("it listens to no messages");
    return transport;
  } catch (cause) {
    await transport.close();
    throw isHawserError(cause) ? cause : connectFailed(name, cause);
  }
}

type Connect = (this: object, transport: McpTransport) => Promise<void>;

function connectOf(name: string, server: object): Connect {
  const connect = (server as { readonly connect?: unknown } | undefined)?.connect;
  if (typeof connect === "function") return connect as Connect;
  throw new HawserError("invalid_options", `The MCP server "${name}" has no connect().`, {
    hint: "Pass the result of createSdkMcpServer(), or a server from the MCP SDK as `instance`.",
  });
}

/** Early versions 1.x of the MCP SDK would silently drop their transport for the new one. */
function isConnected(server: object): boolean {
  const { transport, server: inner } = server as {
    readonly transport?: unknown;
    readonly server?: { readonly transport?: unknown };
  };
  return (transport ?? inner?.transport ?? undefined) !== undefined;
}

function alreadyConnected(name: string): HawserError {
  return new HawserError(
    "invalid_options",
    `The MCP server "${name}" is already connected elsewhere.`,
    {
      hint: "Create a server for each session, or use createSdkMcpServer(), whose servers can be shared.",
    },
  );
}

function connectFailed(name: string, cause: unknown): HawserError {
  const message = textOf(cause);
  return new HawserError("mcp_failed", `The MCP server "${name}" did not connect: ${message}`, {
    issues: [{ path: name, message }],
    cause,
  });
}
