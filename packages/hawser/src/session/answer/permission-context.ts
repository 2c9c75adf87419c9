/** The facts that a policy needs besides the tool call. */
export interface PermissionContext {
  /** The folder that the session was started in. A relative path in a rule is relative to it. */
  readonly cwd?: string | undefined;
  /**
   * Folder that the CLI is in when it makes the call, if it has moved: a relative path of a call is
   * meant there.
   */
  readonly callCwd?: string | undefined;
  /** The folder that `~` stands for. */
  readonly home?: string | undefined;
  /** The names of the session's MCP servers: by them, the server of a tool is known. */
  readonly mcpServers?: readonly string[] | undefined;
}
