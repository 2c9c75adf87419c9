import type {
  EffortLevel,
  McpServerConfigForProcessTransport,
  PermissionMode,
} from "../../wire/index.js";
import type { ModelName } from "../options.js";
import type { ToolName } from "../tools/builtin-tools.js";

/** A sub-agent that the main thread may start, or be run as by the option `agent`. */
export interface AgentDefinition {
  /** When to use it; the model reads this. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  /** The tools it has; absent is all of the main thread's. */
  tools?: ToolName[];
  disallowedTools?: ToolName[];
  /** An alias, a model id, or `inherit`. */
  model?: ModelName | "inherit";
  /** Names of servers of the session, or configurations of its own. */
  mcpServers?: AgentMcpServerSpec[];
  skills?: string[];
  initialPrompt?: string;
  maxTurns?: number;
  /** Tokens at which it compacts its own conversation. */
  autoCompactWindow?: number;
  background?: boolean;
  /** Runs without the instruction files of user and project. */
  omitClaudeMd?: boolean;
  memory?: "user" | "project" | "local";
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  /** Agents that watch it and report; names with commas between. */
  observer?: string;
  observerMessage?: string;
  criticalSystemReminder_EXPERIMENTAL?: string;
  /** Newer fields of the CLI are passed on as they are. */
  [field: string]: unknown;
}

/** A server by its name, or its configuration under a name. */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;
