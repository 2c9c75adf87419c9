import type { Effort, ThinkingConfig } from "hawser";
import { z } from "zod";
import type { IgnoredParameters } from "../body/ignored-parameters.js";

export type ReasoningEffort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export const EFFORTS: z.ZodType<ReasoningEffort> = z.enum([
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

/**
 * An effort switches the model's thinking on, and `none` switches it off. The CLI has no `minimal`, so it counts as
 * `low`. The thinking is summarized, so that it can be shown.
 */
export function reasoningEffort(
  effort: ReasoningEffort | null | undefined,
  path: string,
  ignored: IgnoredParameters,
): { readonly effort: Effort | undefined; readonly thinking: ThinkingConfig | undefined } {
  if (effort === undefined || effort === null) return { effort: undefined, thinking: undefined };
  if (effort === "none") return { effort: undefined, thinking: { type: "disabled" } };
  if (effort === "minimal") ignored.add(path, "minimal counts as low");
  return { effort: effort === "minimal" ? "low" : effort, thinking: SHOWN_THINKING };
}

export const SHOWN_THINKING: ThinkingConfig = { type: "adaptive", display: "summarized" };
