import type { Open } from "../open.js";

/** Tokens as the Messages API counts them. */
export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_1h_input_tokens: number;
    readonly ephemeral_5m_input_tokens: number;
  } | null;
  readonly server_tool_use?: {
    readonly web_search_requests: number;
    readonly web_fetch_requests?: number;
  } | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
  readonly service_tier?: Open<"standard" | "priority" | "batch"> | null;
}

/** The tokens and cost of one model as the CLI counts them, sub-agents included. */
export type ModelUsage = {
  inputTokens: number;
  outputTokens: number;
  /** Part of `outputTokens`. */
  thinkingTokens?: number;
  cacheReadInputTokens: number;
  cacheCreationInputTokens: number;
  /** Parts of `cacheCreationInputTokens`. The API does not always report them. */
  cacheCreationEphemeral5mInputTokens?: number;
  cacheCreationEphemeral1hInputTokens?: number;
  webSearchRequests: number;
  /** An estimate of the CLI, not an invoice. */
  costUSD: number;
  contextWindow: number;
  maxOutputTokens: number;
  canonicalModel?: string;
  provider?: string;
  /** The source of the prices for `costUSD`. */
  costBasis?: "list" | "managed" | "unknown";
};
