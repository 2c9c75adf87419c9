import type { Open, Stamped } from "../open.js";

interface System extends Stamped {
  readonly type: "system";
}

/** A rule or a mode denied a tool call, so `canUseTool` was not called. */
export interface SystemPermissionDenied extends System {
  readonly subtype: "permission_denied";
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly agent_id?: string;
  readonly decision_reason_type?: string;
  readonly decision_reason?: string;
  readonly message: string;
}

/**
 * A notice for the user. With `tag: "hook_callback_failed"` it reports that a hook callback failed.
 */
export interface SystemInformational extends System {
  readonly subtype: "informational";
  readonly content: string;
  readonly level: Open<"info" | "notice" | "suggestion" | "warning" | "error">;
  readonly tool_use_id?: string;
  readonly tag?: string;
  readonly prevent_continuation?: boolean;
}

/** A notification for the user. */
export interface SystemNotification extends System {
  readonly subtype: "notification";
  readonly key: string;
  readonly text: string;
  readonly priority: Open<"low" | "medium" | "high" | "immediate">;
  readonly color?: string;
  readonly timeout_ms?: number;
}

/** The output of a slash command that needs no model. */
export interface SystemLocalCommandOutput extends System {
  readonly subtype: "local_command_output";
  readonly content: string;
}

/** The progress of the installation of a plugin. */
export interface SystemPluginInstall extends System {
  readonly subtype: "plugin_install";
  readonly status: Open<"started" | "installed" | "failed" | "completed">;
  readonly name?: string;
  readonly error?: string;
}

/** Files that were uploaded, and those that failed. */
export interface SystemFilesPersisted extends System {
  readonly subtype: "files_persisted";
  readonly files: readonly { readonly filename: string; readonly file_id: string }[];
  readonly failed: readonly { readonly filename: string; readonly error: string }[];
  readonly processed_at: string;
}

/** Memories that were put into the conversation. */
export interface SystemMemoryRecall extends System {
  readonly subtype: "memory_recall";
  readonly mode: Open<"select" | "synthesize">;
  readonly memories: readonly {
    readonly path: string;
    readonly scope: Open<"personal" | "team" | "organization">;
    readonly content?: string;
  }[];
}

/** A question of an MCP server was answered. */
export interface SystemElicitationComplete extends System {
  readonly subtype: "elicitation_complete";
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** Entries could not be written to the session store. */
export interface SystemMirrorError extends System {
  readonly subtype: "mirror_error";
  readonly error: string;
  readonly key: {
    readonly projectKey: string;
    readonly sessionId: string;
    readonly subpath?: string;
  };
}

/** Notices about command hooks of settings files. Callback hooks have none. */
interface HookLine extends Stamped {
  readonly type: "system";
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

/** A hook of a settings file has started. */
export interface SystemHookStarted extends HookLine {
  readonly subtype: "hook_started";
}

/** Output of a hook of a settings file that still runs. */
export interface SystemHookProgress extends HookLine {
  readonly subtype: "hook_progress";
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

/** A hook of a settings file has ended. */
export interface SystemHookResponse extends HookLine {
  readonly subtype: "hook_response";
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly exit_code?: number;
  readonly outcome: Open<"success" | "error" | "cancelled">;
}
