import type { JsonObject, Open, Stamped } from "../open.js";

/** A sign, every 30 s, that a tool or a hook is still running. */
export interface ToolProgress extends Stamped {
  readonly type: "tool_progress";
  readonly tool_use_id: string;
  readonly tool_name: string;
  /** The running tool itself, not a sub-agent. */
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly task_id?: string;
  readonly heartbeat?: boolean;
  readonly subagent_type?: string;
  readonly subagent_retry?: {
    readonly agent_id: string;
    readonly attempt: number;
    readonly max_retries: number;
    readonly retry_delay_ms: number;
    readonly error_status: number | null;
    readonly error_category: string;
  };
}

/** The state of a prompt. The CLI sends it only for prompts that have a `uuid`. */
export interface CommandLifecycle extends Stamped {
  readonly type: "command_lifecycle";
  readonly command_uuid: string;
  readonly state: Open<"queued" | "started" | "completed" | "cancelled">;
}

/**
 * The conversation was reset, for example by `/clear`. The messages that follow have a new session
 * id, which is not `new_conversation_id`.
 */
export interface ConversationReset extends Stamped {
  readonly type: "conversation_reset";
  readonly new_conversation_id: string;
  readonly trigger?: Open<"clear" | "plan_mode_exit" | "fresh_session" | "onboarding">;
  readonly user_message_uuid?: string;
  readonly timestamp?: string;
}

/** A suggestion for the next prompt. It comes after the result. */
export interface PromptSuggestion extends Stamped {
  readonly type: "prompt_suggestion";
  readonly suggestion: string;
}

/** One write to the transcript; only with `--session-mirror`. */
export interface TranscriptMirror {
  readonly type: "transcript_mirror";
  readonly filePath: string;
  readonly entries: readonly JsonObject[];
}

/** A sign of life without content. */
export interface KeepAlive {
  readonly type: "keep_alive";
  readonly startup_mark?: unknown;
}

/** The limits of the plan have changed. Only subscription accounts get it. */
export interface RateLimitEvent extends Stamped {
  readonly type: "rate_limit_event";
  readonly rate_limit_info: RateLimitInfo;
}

/** The state of the plan's limits. */
export interface RateLimitInfo {
  readonly status: Open<"allowed" | "allowed_warning" | "rejected">;
  /** Seconds since 1970. */
  readonly resetsAt?: number;
  readonly rateLimitType?: Open<
    | "five_hour"
    | "seven_day"
    | "seven_day_opus"
    | "seven_day_sonnet"
    | "seven_day_overage_included"
    | "overage"
  >;
  /** Between 0 and 1. */
  readonly utilization?: number;
  readonly overageStatus?: Open<"allowed" | "allowed_warning" | "rejected">;
  /** Seconds since 1970. */
  readonly overageResetsAt?: number;
  readonly overageDisabledReason?: Open<
    | "overage_not_provisioned"
    | "org_level_disabled"
    | "org_level_disabled_until"
    | "out_of_credits"
    | "seat_tier_level_disabled"
    | "member_level_disabled"
    | "seat_tier_zero_credit_limit"
    | "group_zero_credit_limit"
    | "member_zero_credit_limit"
    | "org_service_level_disabled"
    | "no_limits_configured"
    | "fetch_error"
    | "unknown"
  >;
  readonly isUsingOverage?: boolean;
  readonly overageInUse?: boolean;
  readonly overageEnabled?: boolean;
  readonly surpassedThreshold?: number;
  readonly limitScope?: Open<"service" | "channel" | "group_pool">;
  readonly errorCode?: Open<"credits_required">;
  readonly canUserPurchaseCredits?: boolean;
  readonly hasChargeableSavedPaymentMethod?: boolean;
}

/** The progress of a login. */
export interface AuthStatus extends Stamped {
  readonly type: "auth_status";
  readonly isAuthenticating: boolean;
  readonly output: readonly string[];
  readonly error?: string;
}

/** A summary of the tool calls before it. */
export interface ToolUseSummary extends Stamped {
  readonly type: "tool_use_summary";
  readonly summary: string;
  readonly preceding_tool_use_ids: readonly string[];
}
