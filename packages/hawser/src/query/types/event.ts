import type { UUID } from "node:crypto";
import type { Stamp } from "./stamp.js";

/** A heartbeat of a tool or a hook that is still running. */
export type SDKToolProgressMessage = Stamp & {
  type: "tool_progress";
  tool_use_id: string;
  tool_name: string;
  parent_tool_use_id: string | null;
  elapsed_time_seconds: number;
  task_id?: string;
  heartbeat?: boolean;
  subagent_type?: string;
  subagent_retry?: {
    agent_id: string;
    attempt: number;
    max_retries: number;
    retry_delay_ms: number;
    error_status: number | null;
    error_category: string;
  };
};

export type SDKToolUseSummaryMessage = Stamp & {
  type: "tool_use_summary";
  summary: string;
  preceding_tool_use_ids: string[];
};

export type SDKAuthStatusMessage = Stamp & {
  type: "auth_status";
  isAuthenticating: boolean;
  output: string[];
  error?: string;
};

/** A guess at the next prompt; comes after the result. */
export type SDKPromptSuggestionMessage = Stamp & { type: "prompt_suggestion"; suggestion: string };

/** What follows has a new session id, which is not `new_conversation_id`. */
export type SDKConversationResetMessage = Stamp & {
  type: "conversation_reset";
  new_conversation_id: UUID;
  trigger?: "clear" | "plan_mode_exit" | "fresh_session" | "onboarding";
  user_message_uuid?: string;
  timestamp?: string;
};

export type SDKActiveGoalMessage = Stamp & {
  type: "active_goal";
  value: {
    condition: string;
    iterations: number;
    set_at: number;
    tokens_at_start: number;
    last_reason?: string;
  } | null;
};

/** Only for subscription accounts. */
export type SDKRateLimitEvent = Stamp & {
  type: "rate_limit_event";
  rate_limit_info: SDKRateLimitInfo;
};

type LimitStatus = "allowed" | "allowed_warning" | "rejected";

export type SDKRateLimitInfo = {
  status: LimitStatus;
  /** Seconds since 1970. */
  resetsAt?: number;
  rateLimitType?:
    | "five_hour"
    | "seven_day"
    | "seven_day_opus"
    | "seven_day_sonnet"
    | "seven_day_overage_included"
    | "overage";
  /** Between 0 and 1. */
  utilization?: number;
  overageStatus?: LimitStatus;
  overageResetsAt?: number;
  overageDisabledReason?:
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
    | "unknown";
  isUsingOverage?: boolean;
  overageInUse?: boolean;
  overageEnabled?: boolean;
  surpassedThreshold?: number;
  limitScope?: "service" | "channel" | "group_pool";
  errorCode?: "credits_required";
  canUserPurchaseCredits?: boolean;
  hasChargeableSavedPaymentMethod?: boolean;
};
