import type { JsonObject, McpNotification, McpReply, McpRequest } from "../wire/index.js";

/** The transport of an MCP server, in the shape of the MCP SDKs (1.x and 2.x). */
export interface McpTransport {
  start(): Promise<void>;
  send(message: ServerMessage): Promise<void>;
  close(): Promise<void>;
  /** `never`, because each SDK has its own message type, and only the server sets this. */
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
  /** A field of hawser: reports a tool handler that throws. Servers of the MCP SDKs ignore it. */
  readonly report?: ((callback: object, what: string, error: unknown) => string) | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** A message from a server. A reply has either `result` or `error`, as the types of the SDKs demand. */
export type ServerMessage =
  | McpRequest
  | McpNotification
  | (Pick<McpReply, "jsonrpc" | "id"> & ServerAnswer);

export type ServerAnswer =
  | { readonly result: JsonObject }
  | { readonly error: NonNullable<McpReply["error"]> };

/** A server that accepts such a transport. `never`, because each SDK has its own transport type. */
export interface ConnectableServer {
  connect(transport: never): Promise<void>;
}
