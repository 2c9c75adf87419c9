import type { LanguageModelV4FinishReason } from "@ai-sdk/provider";
import type { Stop } from "hawser";

/** Why a turn of the agent ended, in the terms of the AI SDK. `stopReason` is that of the model's last message. */
export function agentFinishReason(
  stop: Stop,
  stopReason: string | undefined,
): LanguageModelV4FinishReason {
  // A limit, a hook or a deferred call ended the turn, and not the model.
  if (stop !== "completed") return { unified: "other", raw: stop };
  if (stopReason === "max_tokens") return { unified: "length", raw: stopReason };
  if (stopReason === "refusal") return { unified: "content-filter", raw: stopReason };
  return { unified: "stop", raw: stopReason ?? "end_turn" };
}
