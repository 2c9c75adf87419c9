import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Effort, ThinkingConfig } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import type { ModelSettings } from "../settings.js";

/**
 * How much the model thinks. `reasoning` of the call decides before the settings `thinking` and `effort`. The
 * thinking is summarized, so that it can be shown.
 */
export function thinkingOf(
  reasoning: LanguageModelV4CallOptions["reasoning"],
  settings: ModelSettings,
  warnings: CallWarnings,
): { readonly effort: Effort | undefined; readonly thinking: ThinkingConfig | undefined } {
  if (reasoning === undefined || reasoning === "provider-default") {
    return { effort: settings.effort as Effort | undefined, thinking: settings.thinking };
  }
  if (reasoning === "none") return { effort: undefined, thinking: { type: "disabled" } };
  if (reasoning === "minimal") {
    warnings.compatibility("reasoning", "The CLI has no effort `minimal`. It counts as `low`.");
  }
  const effort = reasoning === "minimal" ? "low" : reasoning;
  return { effort, thinking: { type: "adaptive", display: "summarized" } };
}
