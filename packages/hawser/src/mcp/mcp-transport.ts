import type { JsonObject, McpNotification, McpReply, McpRequest } from "../wire/index.js";

/** The transport of an MCP server, with the interface of the MCP SDKs (1.x and 2.x). */
export interface McpTransport {
  /** Starts to deliver messages. */
  start(): Promise<void>;
  /** Sends a message to the client. */
  send(message: ServerMessage): Promise<void>;
  /** Closes the transport. */
  close(): Promise<void>;
  /** `never`, because each SDK has its own message type, and only the server sets this. */
  onmessage?: ((message: never) => void) | undefined;
  /** Called when the transport is closed. */
  onclose?: (() => void) | undefined;
  /** Called with an error that belongs to no request. */
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
  /** A field of hawser: reports a tool handler that throws. Servers of the MCP SDKs ignore it. */
  readonly report?: ((callback: object, what: string, error: unknown) => string) | undefined;
  /** Called with the version of the protocol that client and server agreed on. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/**
 * A message from a server. A reply has either `result` or `error`, as the types of the SDKs demand.
 */
export type ServerMessage =
  | McpRequest
  | McpNotification
  | (Pick<McpReply, "jsonrpc" | "id"> & ServerAnswer);

/** The answer of an MCP server to a request: a result or an error. */
export type ServerAnswer =
  | { readonly result: JsonObject }
  | { readonly error: NonNullable<McpReply["error"]> };

/** A server that accepts such a transport. `never`, because each SDK has its own transport type. */
export interface ConnectableServer {
  /** Connects the server to a transport. */
  connect(transport: never): Promise<void>;
}
