import type { JsonObject, Open, Stamped } from "../open.js";
import type { StopReason } from "./assistant.js";
import type { FastModeDisabledReason, FastModeState } from "./system-init.js";
import type { ModelUsage, Usage } from "./usage.js";

/** The end of a turn. It is not the end of the session, and a turn can consume several prompts. */
export interface ResultMessage extends Stamped {
  readonly type: "result";
  /** `success` does not mean success: an API failure has `success` and `is_error: true`. */
  readonly subtype: ResultSubtype;
  readonly is_error: boolean;
  /** The answer, or the text of the error if `is_error` is true; only with `success`. */
  readonly result?: string;
  /** The errors; only with the error subtypes. */
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  readonly stop_reason?: StopReason | "tool_deferred" | "tool_deferred_unavailable" | null;
  readonly terminal_reason?: Open<TerminalReason>;
  /** The value for the schema. Absent, even on success, if the model never returned it. */
  readonly structured_output?: unknown;
  /** The tool call that waits for a decision; `stop_reason` is then `tool_deferred`. */
  readonly deferred_tool_use?: SDKDeferredToolUse;
  /**
   * 1 plus the number of user messages of the main thread in this turn, not that of model calls.
   */
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly ttft_ms?: number;
  readonly ttft_stream_ms?: number;
  readonly time_to_request_ms?: number;
  readonly time_to_request_from_spawn_ms?: number;
  readonly time_origin_ms?: number;
  readonly request_sent_wall_ms?: number;
  readonly first_content_frame_ms?: number;
  readonly first_stream_post_ms?: number;
  readonly first_stream_post_ack_ms?: number;
  readonly first_stream_post_queue_wait_ms?: number;
  readonly first_stream_post_queued_behind?: QueuedBehind;
  readonly first_stream_post_wall_ms?: number;
  readonly first_text_post_ms?: number;
  readonly first_text_post_queue_wait_ms?: number;
  readonly first_text_post_queued_behind?: QueuedBehind;
  readonly first_text_post_wall_ms?: number;
  readonly warm_spare_claimed?: boolean;
  /**
   * Running total of the session, which continues when the session is resumed or forked. Do not add
   * these totals up: `turn.costUsd` is what one turn has added.
   */
  readonly total_cost_usd: number;
  /** The usage of the main loop in this turn. */
  readonly usage: Usage;
  /** Running total of the session, by model. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  readonly queued_turn_count?: number;
  /** Counts the results of the process from 0, across `/clear`. */
  readonly result_index?: number;
  readonly subagent_stats?: JsonObject;
  readonly safety_stops?: number;
  readonly fast_mode_state?: Open<FastModeState>;
  readonly fast_mode_disabled_reason?: Open<FastModeDisabledReason>;
  readonly credential_expires_at?: string;
  /** Every prompt that this turn consumed. */
  readonly user_message_uuids?: readonly string[];
  readonly user_message_uuid?: string;
  readonly resume_reason?: string;
  /** The slash command that ran instead of a model call. */
  readonly local_command?: string;
  readonly startup_failure_reason?: Open<SDKStartupFailureReason>;
  readonly invalid_config_file?: {
    readonly path: string;
    readonly is_global: boolean;
    readonly backup_searched: boolean;
    readonly backup_path?: string;
  };
  readonly origin?: unknown;
}

/** How a turn ended, in the words of the CLI. */
export type ResultSubtype = Open<
  | "success"
  | "error_during_execution"
  | "error_max_turns"
  | "error_max_budget_usd"
  | "error_max_structured_output_retries"
>;

type QueuedBehind = Open<"durable_post" | "ephemeral_post" | "retry_backoff" | "hold" | "none">;

/** Why a turn ended, in more detail than `subtype`. */
export type TerminalReason =
  | "completed"
  | "max_turns"
  | "budget_exhausted"
  | "structured_output_retry_exhausted"
  | "hook_stopped"
  | "stop_hook_prevented"
  | "aborted_streaming"
  | "aborted_tools"
  | "api_error"
  | "model_error"
  | "image_error"
  | "prompt_too_long"
  | "blocking_limit"
  | "rapid_refill_breaker"
  | "tool_deferred"
  | "background_requested"
  | "malformed_tool_use_exhausted"
  | "tool_deferred_unavailable"
  | "turn_setup_failed";

/** A tool call that was denied. */
export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** A tool call that a hook deferred. Resume the session to answer it. */
export type SDKDeferredToolUse = {
  id: string;
  name: string;
  input: Record<string, unknown>;
};

/** Why the CLI ended before its first turn. */
export type SDKStartupFailureReason =
  | "org_pin_api_key_conflict"
  | "provider_not_allowed"
  | "org_verify_failed"
  | "org_pin_mismatch"
  | "managed_settings_invalid"
  | "remote_settings_required_unavailable"
  | "gateway_signin_required"
  | "gateway_access_denied"
  | "proxy_invalid"
  | "temp_dir_unusable"
  | "cwd_unavailable"
  | "shell_tool_missing"
  | "session_held_by_background"
  | "worktree_resume_refused"
  | "worktree_unverified"
  | "cli_version_too_old"
  | "bypass_root"
  | "org_config_required_unavailable"
  | "org_config_refused"
  | "sandbox_required_unavailable"
  | "initialize_not_first"
  | "config_file_invalid"
  | "managed_settings_not_delivered";
