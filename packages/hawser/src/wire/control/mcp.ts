import type { JsonObject, Open } from "../open.js";

/** A JSON-RPC message of the Model Context Protocol, in either direction. */
export type McpMessage = McpRequest | McpNotification | McpReply;

/** A JSON-RPC request. */
export interface McpRequest {
  readonly jsonrpc: "2.0";
  readonly id: string | number;
  readonly method: string;
  readonly params?: JsonObject;
}

/** A JSON-RPC notification, which has no answer. */
export interface McpNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

/** A JSON-RPC reply: a result or an error. */
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

/**
 * `result` of `tools/call`. If the handler threw, `isError` is true and the content is its text.
 */
export interface McpToolResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: JsonObject;
  readonly isError?: boolean;
}

/** Answers of a server that `initialize` can carry, so that the CLI skips the handshake. */
export interface McpManifest {
  readonly initializeResult: unknown;
  readonly toolsListResult: unknown;
}

/** The state of an MCP server. */
export type McpServerState = Open<McpServerStatus["status"]>;

/** An MCP server of the session and its state. */
export type McpServerStatus = {
  name: string;
  status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  serverInfo?: { name: string; version: string };
  /** Why the server failed. */
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  /** `sdk` is the program that drives the CLI; any other value is a configuration. */
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
};

/** The configuration of an MCP server, as its status reports it. */
export type McpServerStatusConfig =
  | McpServerConfigForProcessTransport
  | McpClaudeAIProxyServerConfig;

/** An MCP server as plain data, as it is described to the CLI. */
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

/** An MCP server that the CLI starts as a child process. */
export type McpStdioServerConfig = {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** Time limit for a tool call, in milliseconds. The CLI ignores a limit below 1000. */
  timeout?: number;
  /** Puts the server's tools into every request, instead of only after a tool search. */
  alwaysLoad?: boolean;
};

type RemoteServer = {
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  timeout?: number;
  alwaysLoad?: boolean;
};

/** An MCP server that the CLI reaches by server-sent events. */
export type McpSSEServerConfig = RemoteServer & { type: "sse" };

/** An MCP server that the CLI reaches by HTTP. */
export type McpHttpServerConfig = RemoteServer & { type: "http" };

/** An MCP server inside the program that drives the CLI. */
export type McpSdkServerConfig = {
  type: "sdk";
  name: string;
  timeout?: number;
  tools?: McpServerToolPolicy[];
};

/** A connector of the account. The CLI reports it, but it cannot be configured. */
export type McpClaudeAIProxyServerConfig = {
  type: "claudeai-proxy";
  url: string;
  id: string;
  timeout?: number;
};

/** The permission policy for one tool of a server. */
export type McpServerToolPolicy = {
  name: string;
  permission_policy?: "always_allow" | "always_ask" | "always_deny";
  org_max_permission?: "allow" | "ask" | "blocked";
};

/**
 * The MCP server behind a tool. Trust `source`, not `name`: a configuration file can choose any
 * name.
 */
export type McpServerProvenance = {
  name: string;
  /** `sdk` is the program that drives the CLI; any other value is a configuration. */
  source: string;
};
