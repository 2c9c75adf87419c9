import type { ModelUsage, TerminalReason } from "../../wire/index.js";
import type { BetaUsage } from "./api/message.js";
import type { FastModeDisabledReason, FastModeState } from "./model.js";
import type { Answers, Stamp } from "./stamp.js";
import type { SDKMessageOrigin } from "./user.js";

/** The end of a turn. */
export type SDKResultMessage = SDKResultSuccess | SDKResultError;

type Result = Stamp &
  Answers & {
    type: "result";
    duration_ms: number;
    duration_api_ms: number;
    /** True for an API failure even where the subtype is `success`. */
    is_error: boolean;
    num_turns: number;
    stop_reason: string | null;
    /** Running total of the session. */
    total_cost_usd: number;
    /** This turn, main loop only. */
    usage: NonNullableUsage;
    /** Running total of the session, by model. */
    modelUsage: Record<string, ModelUsage>;
    permission_denials: SDKPermissionDenial[];
    queued_turn_count?: number;
    terminal_reason?: TerminalReason;
    result_index?: number;
    credential_expires_at?: string;
    fast_mode_state?: FastModeState;
    fast_mode_disabled_reason?: FastModeDisabledReason;
    origin?: SDKMessageOrigin;
  };

export type SDKResultSuccess = Result & {
  subtype: "success";
  result: string;
  structured_output?: unknown;
  deferred_tool_use?: SDKDeferredToolUse;
  api_error_status?: number | null;
  /** The slash command that was run instead of a model call. */
  local_command?: string;
  ttft_ms?: number;
  ttft_stream_ms?: number;
  time_to_request_ms?: number;
  time_to_request_from_spawn_ms?: number;
  time_origin_ms?: number;
  request_sent_wall_ms?: number;
  first_content_frame_ms?: number;
  first_stream_post_ms?: number;
  first_stream_post_ack_ms?: number;
  first_stream_post_queue_wait_ms?: number;
  first_stream_post_queued_behind?: QueuedBehind;
  first_stream_post_wall_ms?: number;
  first_text_post_ms?: number;
  first_text_post_queue_wait_ms?: number;
  first_text_post_queued_behind?: QueuedBehind;
  first_text_post_wall_ms?: number;
  warm_spare_claimed?: boolean;
};

type QueuedBehind = "durable_post" | "ephemeral_post" | "retry_backoff" | "hold" | "none";

export type SDKResultError = Result & {
  subtype:
    | "error_during_execution"
    | "error_max_turns"
    | "error_max_budget_usd"
    | "error_max_structured_output_retries";
  errors: string[];
  startup_failure_reason?: SDKStartupFailureReason;
  invalid_config_file?: {
    path: string;
    is_global: boolean;
    backup_searched: boolean;
    backup_path?: string;
  };
};

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

/** The usage of a turn: the CLI fills every count in. */
export type NonNullableUsage = {
  [K in keyof BetaUsage]: K extends "fallback_credit" ? BetaUsage[K] : NonNullable<BetaUsage[K]>;
};

export type SDKPermissionDenial = {
  tool_name: string;
  tool_use_id: string;
  tool_input: Record<string, unknown>;
};

/** A call that a hook put off; the session can be resumed to answer it. */
export type SDKDeferredToolUse = {
  id: string;
  name: string;
  input: Record<string, unknown>;
};
