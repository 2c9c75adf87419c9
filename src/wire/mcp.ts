import type { JsonObject, Open } from "./open.js";

/** A JSON-RPC message of the Model Context Protocol, in either direction. */
export type McpMessage = McpRequest | McpNotification | McpReply;

export interface McpRequest {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface McpNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

export interface McpReply {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** `params` of `tools/call`. */
export interface McpToolCall {
  readonly name: string;
  readonly arguments?: JsonObject;
  readonly _meta?: {
    readonly "claudecode/toolUseId"?: string;
    readonly progressToken?: string | number;
    readonly [field: string]: unknown;
  };
}

/** `result` of `tools/call`; a handler that threw is `isError` with its text. */
export interface McpToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
}

/** What `initialize` may carry so that the CLI skips the live handshake with a server. */
export interface McpManifest {
  readonly initializeResult: unknown;
  readonly toolsListResult: unknown;
}

export type McpServerState = Open<"connected" | "failed" | "pending" | "disabled" | "needs-auth">;

export interface McpServerStatus {
  readonly name: string;
  readonly status: McpServerState;
  readonly error?: string;
  readonly config?: unknown;
  readonly transport?: string;
  readonly scope?: string;
  readonly source?: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly tools?: readonly JsonObject[];
}
