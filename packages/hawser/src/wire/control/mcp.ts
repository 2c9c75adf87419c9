import type { JsonObject, Open } from "../open.js";

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

/** Answers of a server that `initialize` may carry, so that the CLI skips the live handshake. */
export interface McpManifest {
  readonly initializeResult: unknown;
  readonly toolsListResult: unknown;
}

export type McpServerState = Open<McpServerStatus["status"]>;

/** A server of the session and how it fares. */
export type McpServerStatus = {
  name: string;
  status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  serverInfo?: { name: string; version: string };
  /** Why it failed. */
  error?: string;
  config?: McpServerStatusConfig;
  scope?: string;
  /** `sdk` is this host; anything else came from some configuration. */
  source?: string;
  tools?: {
    name: string;
    description?: string;
    annotations?: { readOnly?: boolean; destructive?: boolean; openWorld?: boolean };
    _meta?: Record<string, unknown>;
  }[];
};

export type McpServerStatusConfig =
  | McpServerConfigForProcessTransport
  | McpClaudeAIProxyServerConfig;

/** A server as it is described to the CLI: plain data, no live object. */
export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type McpStdioServerConfig = {
  type?: "stdio";
  command: string;
  args?: string[];
  env?: Record<string, string>;
  /** Limit of one tool call, in milliseconds; what is below 1000 is ignored. */
  timeout?: number;
  /** Whether its tools are in the prompt from the start, not found by search. */
  alwaysLoad?: boolean;
};

type RemoteServer = {
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  timeout?: number;
  alwaysLoad?: boolean;
};

export type McpSSEServerConfig = RemoteServer & { type: "sse" };

export type McpHttpServerConfig = RemoteServer & { type: "http" };

export type McpSdkServerConfig = {
  type: "sdk";
  name: string;
  timeout?: number;
  tools?: McpServerToolPolicy[];
};

/** A connector of the account; only ever reported, never configured here. */
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
  /** `sdk` is this host; anything else came from some configuration. */
  source: string;
};
