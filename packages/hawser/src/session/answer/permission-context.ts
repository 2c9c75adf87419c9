/** What a policy must know beside the call. */
export interface PermissionContext {
  /** Folder that the session was started in: a relative path of a rule is meant there. */
  readonly cwd?: string | undefined;
  /**
   * Folder that the CLI is in when it makes the call, if it has moved: a relative path of a call is
   * meant there.
   */
  readonly callCwd?: string | undefined;
  /** What `~` stands for. */
  readonly home?: string | undefined;
  /** The names of the session's MCP servers: by them, the server of a tool is known. */
  readonly mcpServers?: readonly string[] | undefined;
}
