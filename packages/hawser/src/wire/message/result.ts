import type { JsonObject, Open, Stamped } from "../open.js";
import type { StopReason } from "./assistant.js";
import type { ModelUsage, Usage } from "./usage.js";

/** The end of a turn; neither the end of the run nor the answer to exactly one prompt. */
export interface ResultMessage extends Stamped {
  readonly type: "result";
  /** `success` does not mean success: an API failure is `success` with `is_error`. */
  readonly subtype: ResultSubtype;
  readonly is_error: boolean;
  /** Only with `success`; the text of the error if `is_error`. */
  readonly result?: string;
  /** Only with the error subtypes. */
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  readonly stop_reason?: StopReason | null;
  readonly terminal_reason?: Open<TerminalReason>;
  /** Absent, even on success, if the model never gave the object. */
  readonly structured_output?: unknown;
  /** 1 + the main thread's user lines of the turn, not the number of model calls. */
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly ttft_ms?: number;
  readonly ttft_stream_ms?: number;
  readonly time_to_request_ms?: number;
  readonly first_content_frame_ms?: number;
  /**
   * Running total of the session, which goes on when the session is resumed or forked: never add
   * totals up. `turn.costUsd` is what one turn has added.
   */
  readonly total_cost_usd: number;
  /** This turn, main loop only. */
  readonly usage: Usage;
  /** Running total of the session, per model. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  readonly queued_turn_count?: number;
  /** Counts the results of the process from 0, across `/clear`. */
  readonly result_index?: number;
  readonly subagent_stats?: JsonObject;
  readonly safety_stops?: number;
  readonly fast_mode_state?: string;
  /** Every prompt that this turn consumed. */
  readonly user_message_uuids?: readonly string[];
  readonly user_message_uuid?: string;
  /** The slash command that was run instead of a model call. */
  readonly local_command?: string;
  readonly startup_failure_reason?: string;
  readonly origin?: unknown;
}

export type ResultSubtype = Open<
  | "success"
  | "error_during_execution"
  | "error_max_turns"
  | "error_max_budget_usd"
  | "error_max_structured_output_retries"
>;

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

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}
