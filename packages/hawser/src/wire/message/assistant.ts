import type { Open, Stamped } from "../open.js";
import type { ContentBlock } from "./content.js";
import type { Usage } from "./usage.js";

/**
 * One content block of a reply: a message with thinking, text and two tool calls comes as four of
 * these lines, with the same `message.id` and different `uuid`s.
 */
export interface AssistantMessage extends Stamped {
  readonly type: "assistant";
  readonly message: AssistantBody;
  /** The Agent tool call this comes from, when a sub-agent speaks. */
  readonly parent_tool_use_id: string | null;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  /** Set when the text reports an API failure and does not come from the model. */
  readonly error?: Open<SDKAssistantMessageError>;
  readonly is_api_error_message?: boolean;
  readonly api_error_status?: number | null;
  readonly api_error_type?: string | null;
  /** The partial text of an interrupted reply. */
  readonly aborted?: boolean;
  /** Lines sent earlier that this one replaces. */
  readonly supersedes?: readonly string[];
  readonly tool_use_meta?: unknown;
  /** The prompts this turn consumed; on the first line of a turn. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly resume_reason?: string;
  readonly local_command_source?: string;
  readonly request_id?: string;
  readonly timestamp?: string;
}

export interface AssistantBody {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  /** `<synthetic>` when the CLI wrote it, not a model. */
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** Null on these lines: the reason is in `stream_event` and in `result`. */
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  /** As of the start of the reply, so output_tokens is about 1: the sum is in `result`. */
  readonly usage: Usage;
  readonly context_management?: unknown;
}

export type StopReason = Open<
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
>;

export type AssistantError = Open<SDKAssistantMessageError>;

/** Which API failure a reply stands for. */
export type SDKAssistantMessageError =
  | "authentication_failed"
  | "oauth_org_not_allowed"
  | "account_on_hold"
  | "verification_required"
  | "billing_error"
  | "rate_limit"
  | "overloaded"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "unknown"
  | "max_output_tokens"
  | "cloud_credential_error";
