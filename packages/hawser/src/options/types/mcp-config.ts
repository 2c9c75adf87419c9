import type { McpServerToolPolicy } from "../../wire/index.js";

/** A server that the CLI starts as a child process. */
export interface McpStdioServer {
  readonly type?: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly alwaysLoad?: boolean;
}

/** A server that the CLI reaches over the network. */
export interface McpRemoteServer {
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly alwaysLoad?: boolean;
  readonly tools?: readonly unknown[];
}

/** A server inside this program; its traffic goes over the control channel. */
export interface McpSdkServer {
  readonly type: "sdk";
  readonly name: string;
  /** The running server; never sent anywhere. */
  readonly instance?: object;
  /** Of one tool call, in milliseconds; below 1000 the CLI ignores it. */
  readonly timeout?: number;
  /** What the CLI asks about, or denies, before it calls a tool of this server. */
  readonly tools?: readonly McpServerToolPolicy[];
}

export type McpServerConfig = McpStdioServer | McpRemoteServer | McpSdkServer;
