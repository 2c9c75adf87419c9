import type { ApiCitation, ApiRefusalCategory, BetaContentBlock } from "./block.js";

/** A reply of the Messages API with beta features on; the shape is the API's. */
export type BetaMessage = {
  id: string;
  type: "message";
  role: "assistant";
  /** `<synthetic>` when the CLI wrote it, not a model. */
  model: string;
  content: BetaContentBlock[];
  stop_reason: BetaStopReason | null;
  stop_sequence: string | null;
  stop_details: ApiRefusal | null;
  usage: BetaUsage;
  container: ApiContainer | null;
  context_management: ApiContextManagement | null;
  diagnostics: { cache_miss_reason: ApiCacheMiss | null } | null;
};

/** Why the model stopped. */
export type BetaStopReason =
  | "end_turn"
  | "max_tokens"
  | "stop_sequence"
  | "tool_use"
  | "pause_turn"
  | "compaction"
  | "refusal"
  | "model_context_window_exceeded";

/** The tokens of one request to the model. */
export type BetaUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation: ApiCacheCreation | null;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  fallback_credit: ApiFallbackCredit | null;
  inference_geo: string | null;
  iterations: ApiIteration[] | null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use: ApiServerToolCount | null;
  service_tier: "standard" | "priority" | "batch" | null;
  speed: "standard" | "fast" | null;
};

type ApiServerToolCount = { web_fetch_requests: number; web_search_requests: number };

type ApiCacheCreation = {
  ephemeral_1h_input_tokens: number;
  ephemeral_5m_input_tokens: number;
};

/** One of the calls that together made a reply. */
type ApiIteration = {
  cache_creation: ApiCacheCreation | null;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  input_tokens: number;
  output_tokens: number;
} & (
  | { type: "message"; model: string | null }
  | { type: "compaction" }
  | { type: "advisor_message"; model: string }
  | { type: "fallback_message"; model: string }
);

type ApiFallbackCredit = {
  status:
    | { type: "redeemed" }
    | {
        type: "not_applied";
        reason:
          | "body_mismatch"
          | "continuation_excluded"
          | "continuation_only"
          | "expired"
          | "invalid_target_model"
          | "not_enabled"
          | "reprice_unavailable"
          | "temporarily_unavailable"
          | "variant_fields_present"
          | "wrong_organization"
          | "wrong_platform"
          | "wrong_workspace";
        remove_to_redeem?: string[] | null;
      };
};

type ApiRefusal = {
  type: "refusal";
  category: ApiRefusalCategory | null;
  explanation: string | null;
  fallback_credit_token: string | null;
  fallback_has_prefill_claim: boolean | null;
  recommended_model: string | null;
};

type ApiContainer = {
  id: string;
  expires_at: string;
  skills: { skill_id: string; type: "anthropic" | "custom"; version: string }[] | null;
};

type ApiContextManagement = {
  applied_edits: (
    | {
        type: "clear_tool_uses_20250919";
        cleared_input_tokens: number;
        cleared_tool_uses: number;
      }
    | {
        type: "clear_thinking_20251015";
        cleared_input_tokens: number;
        cleared_thinking_turns: number;
      }
  )[];
};

type ApiCacheMiss =
  | { type: "model_changed"; cache_missed_input_tokens: number }
  | { type: "system_changed"; cache_missed_input_tokens: number }
  | { type: "tools_changed"; cache_missed_input_tokens: number }
  | { type: "messages_changed"; cache_missed_input_tokens: number }
  | { type: "previous_message_not_found" }
  | { type: "unavailable" };

/** A raw event of a reply that streams in. */
export type BetaRawMessageStreamEvent =
  | { type: "message_start"; message: BetaMessage }
  | ApiMessageDelta
  | { type: "message_stop" }
  | { type: "content_block_start"; index: number; content_block: BetaContentBlock }
  | { type: "content_block_delta"; index: number; delta: BetaRawContentBlockDelta }
  | { type: "content_block_stop"; index: number };

type ApiMessageDelta = {
  type: "message_delta";
  delta: Pick<BetaMessage, "container" | "stop_details" | "stop_reason" | "stop_sequence">;
  context_management: ApiContextManagement | null;
  usage: Omit<
    BetaUsage,
    "cache_creation" | "inference_geo" | "input_tokens" | "service_tier" | "speed"
  > & { input_tokens: number | null };
};

/** A piece of a block, by its kind. */
export type BetaRawContentBlockDelta =
  | { type: "text_delta"; text: string }
  | { type: "input_json_delta"; partial_json: string }
  | { type: "citations_delta"; citation: ApiCitation }
  | { type: "thinking_delta"; thinking: string; estimated_tokens: number | null }
  | { type: "signature_delta"; signature: string }
  | { type: "compaction_delta"; content: string | null; encrypted_content: string | null };
