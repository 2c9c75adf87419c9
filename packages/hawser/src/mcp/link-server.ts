import { HawserError, isHawserError, type ReportFault, textOf } from "../base/index.js";
import type { McpMessage, McpReply } from "../wire/index.js";
import { LinkTransport } from "./link-transport.js";
import type { McpTransport } from "./mcp-transport.js";

/** A server that is joined to the CLI. */
export interface McpLink {
  /**
   * Takes a message of the CLI. A request resolves with its reply, or with undefined once the CLI
   * cancelled it; anything else resolves with undefined at once. Rejects with `closed`.
   */
  receive(message: McpMessage): Promise<McpReply | undefined>;
  /** Ends the line, not the server: it can be linked again. */
  close(): Promise<void>;
}

export interface LinkOptions {
  /** How long the server may take to connect; 30 s unless given. */
  readonly connectMs?: number;
  /** Told of a tool's function that throws. */
  readonly report?: ReportFault;
}

/** Joins any MCP server object to the CLI; what the server sends by itself goes out by `send`. */
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
    await within(connectMs, connect.call(server, transport));
    if (transport.onmessage === undefined) throw new Error("it listens to no messages");
    return transport;
  } catch (cause) {
    await transport.close();
    throw isHawserError(cause) ? cause : failed(name, cause);
  }
}

type Connect = (this: object, transport: McpTransport) => Promise<void>;

function connectOf(name: string, server: object): Connect {
  const connect = (server as { readonly connect?: unknown } | undefined)?.connect;
  if (typeof connect === "function") return connect as Connect;
  throw new HawserError("invalid_options", `The MCP server "${name}" has no connect().`, {
    hint: "Give what createSdkMcpServer() returns, or a server of the MCP SDK as `instance`.",
  });
}

/** Early 1.x would silently leave the line that it has for the new one. */
function isConnected(server: object): boolean {
  const { transport, server: inner } = server as {
    readonly transport?: unknown;
    readonly server?: { readonly transport?: unknown };
  };
  return (transport ?? inner?.transport ?? undefined) !== undefined;
}

function alreadyConnected(name: string): HawserError {
  return new HawserError("invalid_options", `The MCP server "${name}" is connected elsewhere.`, {
    hint: "Make one server for each session, or one by createSdkMcpServer(), which can be shared.",
  });
}

async function within(limitMs: number, connecting: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}

function failed(name: string, cause: unknown): HawserError {
  const message = textOf(cause);
  return new HawserError("mcp_failed", `The MCP server "${name}" did not connect: ${message}`, {
    issues: [{ path: name, message }],
    cause,
  });
}
