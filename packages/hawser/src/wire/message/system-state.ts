import type { PermissionModeName } from "../control/permission.js";
import type { JsonObject, Open, Stamped, UnknownWord } from "../open.js";
import type { SDKAssistantMessageError } from "./assistant.js";

interface System extends Stamped {
  readonly type: "system";
}

/**
 * The state of the session has changed. In `idle` no turn runs, no prompt waits, and no background
 * agent is left. Observed: a background shell may still run, so `background_tasks_changed` counts
 * too.
 */
export interface SystemSessionStateChanged extends System {
  readonly subtype: "session_state_changed";
  readonly state: Open<"running" | "idle" | "requires_action">;
  readonly sdk_host_only?: boolean;
}

/** The CLI is busy with something, or the permission mode has changed. */
export interface SystemStatus extends System {
  readonly subtype: "status";
  readonly status: Open<"compacting" | "requesting"> | null;
  readonly permissionMode?: PermissionModeName;
  readonly compact_result?: Open<"success" | "failed">;
  readonly compact_error?: string;
  readonly user_message_uuids?: readonly string[];
}

/** The CLI repeats a request to the API. */
export interface SystemApiRetry extends System {
  readonly subtype: "api_retry";
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  /** Null if the API did not answer at all. */
  readonly error_status: number | null;
  readonly error: Open<SDKAssistantMessageError>;
  readonly no_response?: { readonly waited_ms: number; readonly retry_wait_ms: number };
}

/** The CLI switched to the fallback model. */
export interface SystemModelFallback extends System {
  readonly subtype: "model_fallback";
  readonly trigger: Open<"overloaded">;
  readonly original_model: string;
  readonly fallback_model: string;
  readonly content: string;
}

/** The model refused, and the CLI switched to another model. */
export interface SystemModelRefusalFallback extends System {
  readonly subtype: "model_refusal_fallback";
  readonly trigger: Open<"refusal">;
  readonly direction?: Open<"retry" | "revert" | "sticky">;
  readonly scope?: Open<"session" | "local">;
  readonly original_model: string;
  readonly fallback_model: string;
  readonly request_id?: string | null;
  readonly api_refusal_category?: string | null;
  readonly api_refusal_explanation?: string | null;
  readonly refused_user_message_uuid?: string | null;
  /** The `uuid`s of earlier messages that no longer count. */
  readonly retracted_message_uuids?: readonly string[];
  readonly content: string;
}

/** The model refused, and there is no other model to switch to. */
export interface SystemModelRefusalNoFallback extends System {
  readonly subtype: "model_refusal_no_fallback";
  readonly content?: string;
  readonly [field: string]: unknown;
}

/** The conversation was compacted. A `user` message with the summary follows. */
export interface SystemCompactBoundary extends System {
  readonly subtype: "compact_boundary";
  readonly compact_metadata: {
    readonly trigger: Open<"manual" | "auto">;
    readonly pre_tokens: number;
    readonly post_tokens?: number;
    readonly duration_ms?: number;
    readonly [field: string]: unknown;
  };
}

/** An estimate of the tokens that the model has thought so far. */
export interface SystemThinkingTokens extends System {
  readonly subtype: "thinking_tokens";
  readonly estimated_tokens: number;
  readonly estimated_tokens_delta: number;
  readonly user_message_uuid?: string;
}

/** The list of slash commands has changed. */
export interface SystemCommandsChanged extends System {
  readonly subtype: "commands_changed";
  readonly commands: SlashCommand[];
}

/** A slash command of the CLI. */
export type SlashCommand = {
  name: string;
  description: string;
  argumentHint: string;
  aliases?: string[];
  builtin?: boolean;
};

/** Notices for a user interface, and notices whose fields are not described. */
export interface SystemProgress extends System {
  readonly subtype: SystemProgressSubtype;
  readonly [field: string]: unknown;
}

/** The subtypes of `SystemProgress`. */
export type SystemProgressSubtype =
  | "control_request_progress"
  | "session_title_changed"
  | "ui_invalidate"
  | "session_writes_lost"
  | "worker_shutting_down"
  | "active_goal";

/** A notice with a subtype that hawser does not know. */
export interface UnknownSystem extends JsonObject {
  readonly type: "system";
  readonly subtype: UnknownWord;
}
