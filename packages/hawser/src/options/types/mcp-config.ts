import type { McpServerToolPolicy } from "../../wire/index.js";

/** An MCP server that the CLI starts as a child process. */
export interface McpStdioServer {
  readonly type?: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit for a tool call, in milliseconds. */
  readonly timeout?: number;
  /** Puts the server's tools into every request, instead of only after a tool search. */
  readonly alwaysLoad?: boolean;
}

/** An MCP server that the CLI reaches over the network. */
export interface McpRemoteServer {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit for a tool call, in milliseconds. */
  readonly timeout?: number;
  /** Puts the server's tools into every request, instead of only after a tool search. */
  readonly alwaysLoad?: boolean;
  readonly tools?: readonly unknown[];
}

/** An MCP server inside your program, such as `createSdkMcpServer()` makes. */
export interface McpSdkServer {
  readonly type: "sdk";
  readonly name: string;
  /** The running server. It stays inside your program. */
  readonly instance?: object;
  /** Time limit for a tool call, in milliseconds. The CLI ignores a limit below 1000. */
  readonly timeout?: number;
  /** Which tools of this server need approval or are denied. */
  readonly tools?: readonly McpServerToolPolicy[];
}

/** The configuration of one MCP server in `mcpServers`. */
export type McpServerConfig = McpStdioServer | McpRemoteServer | McpSdkServer;
