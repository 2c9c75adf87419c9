import type { Open, Stamped } from "../open.js";
import type { ContentBlock } from "./content.js";
import type { Usage } from "./usage.js";

/**
 * One content block of a reply. A reply with thinking, text and two tool calls comes as four of
 * these messages, with the same `message.id` and different `uuid`s.
 */
export interface AssistantMessage extends Stamped {
  readonly type: "assistant";
  readonly message: AssistantBody;
  /** For a message of a sub-agent: the Agent tool call that started the sub-agent. */
  readonly parent_tool_use_id: string | null;
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
  /** Set if the text reports an API failure and does not come from the model. */
  readonly error?: Open<SDKAssistantMessageError>;
  readonly is_api_error_message?: boolean;
  readonly api_error_status?: number | null;
  readonly api_error_type?: string | null;
  /** The text is a part of an interrupted reply. */
  readonly aborted?: boolean;
  /** The `uuid`s of earlier messages that this message replaces. */
  readonly supersedes?: readonly string[];
  readonly tool_use_meta?: unknown;
  /** The prompts that this turn consumed; only on the first message of a turn. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly resume_reason?: string;
  readonly local_command_source?: string;
  readonly request_id?: string;
  readonly timestamp?: string;
}

/** A reply of the model, as the Messages API has it. */
export interface AssistantBody {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  /** `<synthetic>` if the CLI wrote the message itself. */
  readonly model: string;
  readonly content: readonly ContentBlock[];
  /** Always null here. The reason is in `stream_event` and in `result`. */
  readonly stop_reason: StopReason | null;
  readonly stop_sequence: string | null;
  /** The usage at the start of the reply, so output_tokens is about 1. The sum is in `result`. */
  readonly usage: Usage;
  readonly context_management?: unknown;
}

/** Why the model stopped. */
export type StopReason = Open<
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
>;

/** Which API failure a reply reports; newer CLIs may have more. */
export type AssistantError = Open<SDKAssistantMessageError>;

/** Which API failure a reply reports. */
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
