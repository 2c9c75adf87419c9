import type { JsonObject, McpNotification, McpReply, McpRequest } from "../wire/index.js";

/** The line that an MCP server talks over, in the shape of the MCP SDKs (1.x and 2.x). */
export interface McpTransport {
  start(): Promise<void>;
  send(message: ServerMessage): Promise<void>;
  close(): Promise<void>;
  /** `never`, since each SDK has a type of its own for the messages, and only the server sets it. */
  onmessage?: ((message: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  sessionId?: string | undefined;
  /** Our own: told of a tool's function that throws. Servers of the MCP SDKs do not look at it. */
  readonly report?: ((callback: object, what: string, error: unknown) => string) | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** What a server sends; a reply is exactly one of the two, as the SDKs' own types want it. */
export type ServerMessage =
  | McpRequest
  | McpNotification
  | (Pick<McpReply, "jsonrpc" | "id"> & ServerAnswer);

export type ServerAnswer =
  | { readonly result: JsonObject }
  | { readonly error: NonNullable<McpReply["error"]> };

/** Anything that can be connected to such a line; `never`, since each SDK names its own transport. */
export interface ConnectableServer {
  connect(transport: never): Promise<void>;
}
