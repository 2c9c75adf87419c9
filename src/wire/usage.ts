import type { Open } from "./open.js";

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

/** The CLI's own count for one model, sub-agents included. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  /** An estimate of the CLI, not an invoice. */
  readonly costUSD: number;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly thinkingTokens?: number;
  readonly canonicalModel?: string;
}
