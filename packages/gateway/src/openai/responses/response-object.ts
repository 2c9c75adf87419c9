import type { Usage } from "hawser";
import { tokenCounts } from "../token-counts.js";
import type {
  CustomToolCallItem,
  FunctionCallItem,
  MessageItem,
  ReasoningItem,
} from "./response-item.js";
import { isHostedTool, type ResponsesBody } from "./responses-body.js";

/** A response as the Responses API gives it. */
export interface ResponseObject {
  readonly id: string;
  readonly object: "response";
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly background: false;
  readonly error: ResponseFailure | null;
  readonly incomplete_details: { readonly reason: "max_output_tokens" } | null;
  readonly instructions: string | null;
  readonly max_output_tokens: null;
  readonly max_tool_calls: null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly parallel_tool_calls: boolean;
  readonly previous_response_id: string | null;
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null };
  readonly store: boolean;
  readonly temperature: null;
  readonly text: { readonly format: unknown };
  readonly tool_choice: unknown;
  readonly tools: readonly unknown[];
  readonly top_p: null;
  readonly truncation: "disabled";
  readonly usage: ResponseUsage | null;
  readonly user: null;
  readonly access_programs: null;
}

export type ResponseStatus = "in_progress" | "completed" | "incomplete" | "failed" | "cancelled";

export interface ResponseFailure {
  readonly code: string;
  readonly message: string;
}

type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An item of an answer. */
export type OutputItem =
  | (MessageItem & {
      readonly id: string;
      readonly role: "assistant";
      readonly status: ItemStatus;
      readonly content: readonly OutputPart[];
    })
  | (FunctionCallItem & { readonly id: string; readonly status: ItemStatus })
  | (CustomToolCallItem & { readonly id: string; readonly status: ItemStatus })
  | (ReasoningItem & {
      readonly id: string;
      readonly summary: readonly SummaryPart[];
      readonly status: ItemStatus;
    });

export type OutputPart =
  | {
      readonly type: "output_text";
      readonly text: string;
      readonly annotations: readonly [];
      readonly logprobs: readonly [];
    }
  | { readonly type: "refusal"; readonly refusal: string };

export interface SummaryPart {
  readonly type: "summary_text";
  readonly text: string;
}

export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
  };
  readonly output_tokens: number;
  /** The type of OpenAI's client asks for a number, so thinking that is not counted separately is 0. */
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
  /** In US dollars. OpenAI's own API does not have this field. */
  readonly cost?: number;
}

/**
 * A response without an answer. Parameters that have no effect are `null` and not repeated, so that the response
 * does not claim an effect.
 */
export function emptyResponse(id: string, body: ResponsesBody, createdAt: number): ResponseObject {
  const { effort = null, summary = null, generate_summary = null } = body.reasoning ?? {};
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: null,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: body.metadata ?? {},
    model: body.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls !== false,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort, summary: summary ?? generate_summary },
    store: body.store !== false,
    temperature: null,
    text: { format: body.text?.format ?? { type: "text" } },
    tool_choice: body.tool_choice ?? "auto",
    tools: (body.tools ?? []).filter((tool) => !isHostedTool(tool)),
    top_p: null,
    truncation: "disabled",
    usage: null,
    user: null,
    access_programs: null,
  };
}

export function responseUsage(usage: Usage, costUsd: number | undefined): ResponseUsage {
  const { input, output, total, cacheRead, cacheWrite, reasoning } = tokenCounts(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning ?? 0 },
    total_tokens: total,
    ...(costUsd === undefined ? {} : { cost: costUsd }),
  };
}
