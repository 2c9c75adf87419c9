import type {
  EffortLevel,
  McpServerConfigForProcessTransport,
  PermissionMode,
} from "../../wire/index.js";
import type { ModelName } from "../options.js";
import type { ToolName } from "../tools/builtin-tools.js";

/**
 * A sub-agent that the model can start. The option `agent` runs the main thread as one.
 *
 * @example
 * ```ts
 * const reviewer: AgentDefinition = {
 *   description: "Reviews a diff for bugs.",
 *   prompt: "You review code. Report bugs only.",
 *   tools: ["Read", "Grep"],
 * };
 * ```
 */
export interface AgentDefinition {
  /** When to use the agent. The model reads this. */
  description: string;
  /** System prompt of the agent. */
  prompt: string;
  /**
   * The tools that the agent has.
   * @default all tools of the main thread
   */
  tools?: ToolName[];
  /** Tools that the agent does not have. */
  disallowedTools?: ToolName[];
  /** An alias, a model id, or `inherit`. */
  model?: ModelName | "inherit";
  /** Names of MCP servers of the session, or servers of the agent's own. */
  mcpServers?: AgentMcpServerSpec[];
  skills?: string[];
  initialPrompt?: string;
  maxTurns?: number;
  /** Number of tokens at which the agent compacts its own conversation. */
  autoCompactWindow?: number;
  background?: boolean;
  /** Leaves out the instruction files (CLAUDE.md) of user and project. */
  omitClaudeMd?: boolean;
  memory?: "user" | "project" | "local";
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  /** Names of agents that watch this agent and report, separated by commas. */
  observer?: string;
  observerMessage?: string;
  criticalSystemReminder_EXPERIMENTAL?: string;
  /** Other fields are passed on unchanged, so that fields of a newer CLI work. */
  [field: string]: unknown;
}

/**
 * The name of an MCP server of the session, or an object with the configuration of a server by
 * name.
 */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;
