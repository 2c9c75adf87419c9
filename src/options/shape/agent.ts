import type { JsonObject, PermissionMode } from "../../wire/index.js";
import type { Effort } from "./thinking.js";

/** A sub-agent that the main thread may start, or be run as by the option `agent`. */
export interface AgentDefinition {
  /** When to use it; the model reads this. */
  readonly description: string;
  /** Its system prompt. */
  readonly prompt: string;
  /** The tools it has; absent is all of the main thread's. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  /** An alias, a model id, or `inherit`. */
  readonly model?: string;
  /** Names of servers of the session, or configurations of its own. */
  readonly mcpServers?: readonly (string | JsonObject)[];
  readonly skills?: readonly string[];
  readonly initialPrompt?: string;
  readonly maxTurns?: number;
  readonly background?: boolean;
  readonly memory?: "user" | "project" | "local";
  readonly effort?: Effort | number;
  readonly permissionMode?: PermissionMode;
  /** Newer fields of the CLI are passed on as they are. */
  readonly [field: string]: unknown;
}
