import type { UUID } from "node:crypto";
import type {
  EffortLevel,
  PermissionMode,
  SDKAssistantMessageError,
  SlashCommand,
} from "../../wire/index.js";
import type { ApiKeySource, FastModeDisabledReason, FastModeState } from "./model.js";
import type { System } from "./stamp.js";

/** What a turn starts with; comes after a prompt was accepted, never at start-up. */
export type SDKSystemMessage = System<"init"> & {
  agents?: string[];
  apiKeySource: ApiKeySource;
  betas?: string[];
  claude_code_version: string;
  cwd: string;
  /** Lists the sub-agent tool as `Task`, while the model calls it `Agent`. */
  tools: string[];
  mcp_servers: { name: string; status: string; source?: string }[];
  model: string;
  permissionMode: PermissionMode;
  slash_commands: string[];
  terminal_slash_commands?: string[];
  output_style: string;
  skills: string[];
  plugins: { name: string; path: string; version?: string }[];
  plugin_errors?: {
    plugin: string;
    type: string;
    message: string;
    path?: string;
    managed_lock?: { plugin_enabled: boolean; name: string; marketplace?: string };
  }[];
  fast_mode_state?: FastModeState;
  fast_mode_disabled_reason?: FastModeDisabledReason;
  effort?: EffortLevel | null;
  view_mode?: "focus" | "default";
  /** The list to detect features by. */
  capabilities?: string[];
};

export type SDKStatus = "compacting" | "requesting" | null;

/** Also announces a change of the permission mode. */
export type SDKStatusMessage = System<"status"> & {
  status: SDKStatus;
  permissionMode?: PermissionMode;
  compact_result?: "success" | "failed";
  compact_error?: string;
};

/** `idle` is the sign that nothing is left to do. */
export type SDKSessionStateChangedMessage = System<"session_state_changed"> & {
  state: "idle" | "running" | "requires_action";
};

export type SDKCompactBoundaryMessage = System<"compact_boundary"> & {
  compact_metadata: {
    trigger: "manual" | "auto";
    pre_tokens: number;
    post_tokens?: number;
    duration_ms?: number;
    preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
    preserved_messages?: { anchor_uuid: UUID; uuids: UUID[] };
  };
};

export type SDKAPIRetryMessage = System<"api_retry"> & {
  attempt: number;
  max_retries: number;
  retry_delay_ms: number;
  /** Null when no answer came at all. */
  error_status: number | null;
  error: SDKAssistantMessageError;
  no_response?: { waited_ms: number; retry_wait_ms: number };
};

export type SDKControlRequestProgressMessage = System<"control_request_progress"> & {
  request_id: string;
  status: "started" | "api_retry";
  attempt?: number;
  max_retries?: number;
  retry_delay_ms?: number;
  error_status?: number | null;
};

type Refusal = {
  original_model: string;
  request_id: string | null;
  api_refusal_category?: string | null;
  api_refusal_explanation?: string | null;
  refused_user_message_uuid?: string | null;
  content: string;
};

export type SDKModelRefusalFallbackMessage = System<"model_refusal_fallback"> &
  Refusal & {
    trigger: "refusal";
    direction: "retry" | "revert" | "sticky";
    scope?: "session" | "local";
    fallback_model: string;
    /** Messages sent earlier that no longer count. */
    retracted_message_uuids?: string[];
  };

export type SDKModelRefusalNoFallbackMessage = System<"model_refusal_no_fallback"> & Refusal;

export type SDKLocalCommandOutputMessage = System<"local_command_output"> & { content: string };

type HookLine = { hook_id: string; hook_name: string; hook_event: string };

/** These three are about hooks of settings files; callbacks never have any. */
export type SDKHookStartedMessage = System<"hook_started"> & HookLine;

export type SDKHookProgressMessage = System<"hook_progress"> &
  HookLine & { stdout: string; stderr: string; output: string };

export type SDKHookResponseMessage = System<"hook_response"> &
  HookLine & {
    stdout: string;
    stderr: string;
    output: string;
    exit_code?: number;
    outcome: "success" | "error" | "cancelled";
  };

export type SDKPluginInstallMessage = System<"plugin_install"> & {
  status: "started" | "installed" | "failed" | "completed";
  name?: string;
  error?: string;
};

export type SDKThinkingTokensMessage = System<"thinking_tokens"> & {
  estimated_tokens: number;
  estimated_tokens_delta: number;
  user_message_uuid?: string;
};

export type SDKWorkerShuttingDownMessage = System<"worker_shutting_down"> & { reason: string };

export type SDKCommandsChangedMessage = System<"commands_changed"> & { commands: SlashCommand[] };

export type SDKNotificationMessage = System<"notification"> & {
  key: string;
  text: string;
  priority: "low" | "medium" | "high" | "immediate";
  color?: string;
  timeout_ms?: number;
};

export type SDKFilesPersistedEvent = System<"files_persisted"> & {
  files: { filename: string; file_id: string }[];
  failed: { filename: string; error: string }[];
  processed_at: string;
};

export type SDKMemoryRecallMessage = System<"memory_recall"> & {
  mode: "select" | "synthesize";
  memories: {
    path: string;
    scope: "personal" | "team" | "organization";
    content?: string;
  }[];
};

export type SDKElicitationCompleteMessage = System<"elicitation_complete"> & {
  mcp_server_name: string;
  elicitation_id: string;
};

/** A tool call that was denied without anyone being asked. */
export type SDKPermissionDeniedMessage = System<"permission_denied"> & {
  tool_name: string;
  tool_use_id: string;
  agent_id?: string;
  decision_reason_type?: string;
  decision_reason?: string;
  message: string;
};

/** A write to the caller's session store failed. */
export type SDKMirrorErrorMessage = System<"mirror_error"> & {
  error: string;
  key: { projectKey: string; sessionId: string; subpath?: string };
};

export type SDKInformationalMessage = System<"informational"> & {
  content: string;
  level: "info" | "notice" | "suggestion" | "warning";
  tool_use_id?: string;
  prevent_continuation?: boolean;
  tag?: string;
};

/** The disk is full: parts of the transcript are gone. */
export type SDKSessionWritesLostMessage = System<"session_writes_lost"> & {
  error_code: "ENOSPC" | "EDQUOT";
  lost: ("transcript" | "global_config")[];
  transcript_session_ids?: string[];
};
