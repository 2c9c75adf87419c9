import type { EffortLevel } from "../../wire/index.js";

/** How much effort the model puts into an answer. */
export type Effort = EffortLevel;

/** How the model's thinking is shown in the messages. */
export type ThinkingDisplay = "summarized" | "omitted" | "highlights";

/**
 * Whether and how much the model thinks. It takes precedence over `maxThinkingTokens`. With
 * `adaptive`, or `enabled` without `budgetTokens`, `maxThinkingTokens` is the budget for models
 * without adaptive thinking.
 *
 * @example
 * ```ts
 * const thinking: ThinkingConfig = { type: "enabled", budgetTokens: 4_000 };
 * ```
 */
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

/** The model decides how much it thinks. */
export type ThinkingAdaptive = {
  type: "adaptive";
  display?: ThinkingDisplay;
};

/** The model thinks with up to `budgetTokens` tokens. */
export type ThinkingEnabled = {
  type: "enabled";
  budgetTokens?: number;
  display?: ThinkingDisplay;
};

/** The model does not think before it answers. */
export type ThinkingDisabled = {
  type: "disabled";
};
