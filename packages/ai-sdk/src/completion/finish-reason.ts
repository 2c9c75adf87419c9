import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { StopReason } from "hawser/answer";

/** Why the answer ended, in the terms of the AI SDK, with the API's own term as `raw`. */
export function finishReason(stopReason: StopReason): LanguageModelV4FinishReason {
  return { unified: UNIFIED[stopReason], raw: stopReason };
}

const UNIFIED: Readonly<Record<StopReason, LanguageModelV4FinishReason["unified"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  refusal: "content-filter",
  pause_turn: "other",
};
