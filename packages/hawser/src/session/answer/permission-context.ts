import type { Invocation } from "../../options/index.js";
import { homeFolder } from "../../process/index.js";

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

/** The facts about a session with this invocation, the MCP servers of this program and those that the CLI named. */
export function permissionContextOf(
  { cwd, env }: Invocation,
  own: { readonly names: readonly string[] } | undefined,
  announced: { readonly servers: readonly string[] },
): PermissionContext {
  const mcpServers = [...new Set([...(own?.names ?? []), ...announced.servers])];
  return { cwd, home: homeFolder(env), mcpServers };
}
