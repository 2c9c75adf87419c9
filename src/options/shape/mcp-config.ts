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
  readonly timeout?: number;
}

export type McpServerConfig = McpStdioServer | McpRemoteServer | McpSdkServer;
