import type { EffortLevel } from "../control/host-payload.js";
import type { McpServerState } from "../control/mcp.js";
import type { PermissionModeName } from "../control/permission.js";
import type { JsonObject, Open, Stamped } from "../open.js";

/**
 * The state of the session at the start of a turn. It comes once per turn, after the CLI has
 * accepted a prompt, and never at start-up. The newest one counts.
 */
export interface SystemInit extends Stamped {
  readonly type: "system";
  readonly subtype: "init";
  readonly cwd: string;
  readonly original_cwd?: string;
  readonly additional_directories?: readonly string[];
  /**
   * The names of the tools. The sub-agent tool is `Task` here, while the model calls it `Agent`.
   */
  readonly tools: readonly string[];
  readonly mcp_servers: readonly {
    readonly name: string;
    readonly status: McpServerState;
    readonly source?: string;
  }[];
  readonly model: string;
  readonly permissionMode: PermissionModeName;
  readonly slash_commands: readonly string[];
  readonly terminal_slash_commands?: readonly string[];
  readonly apiKeySource: Open<ApiKeySource>;
  readonly betas?: readonly string[];
  readonly claude_code_version: string;
  readonly output_style: string;
  readonly agents?: readonly string[];
  readonly skills?: readonly string[];
  readonly plugins?: readonly {
    readonly name: string;
    readonly path: string;
    readonly source?: string;
    readonly version?: string;
  }[];
  readonly plugin_errors?: readonly unknown[];
  /** Features of the CLI, for detection; absent before 2.1.325's generation. */
  readonly capabilities?: readonly string[];
  readonly memory_paths?: JsonObject;
  readonly messaging_socket_path?: string;
  readonly fast_mode_state?: Open<FastModeState>;
  readonly fast_mode_disabled_reason?: Open<FastModeDisabledReason>;
  readonly effort?: Open<EffortLevel> | null;
  readonly view_mode?: Open<"focus" | "default">;
  /** The prompts that this turn consumes. */
  readonly user_message_uuids?: readonly string[];
}

/** Fast mode: off, paused after a rate limit, or on. */
export type FastModeState = "off" | "cooldown" | "on";

/** Why fast mode is not available. */
export type FastModeDisabledReason =
  | "free"
  | "preference"
  | "extra_usage_disabled"
  | "network_error"
  | "unknown"
  | "not_first_party"
  | "disabled_by_env"
  | "model_not_allowed"
  | "sdk_opt_in_required"
  | "pending";

/** Which credential the CLI uses. The last five come from older CLIs. */
export type ApiKeySource =
  | "ANTHROPIC_API_KEY"
  | "apiKeyHelper"
  | "/login managed key"
  | "none"
  | "user"
  | "project"
  | "org"
  | "temporary"
  | "oauth";
