import type { EffortLevel } from "../../wire/index.js";

export type Effort = EffortLevel;

export type ThinkingDisplay = "summarized" | "omitted" | "highlights";

/**
 * How the model may think; wins over `maxThinkingTokens`. Beside `adaptive`, or `enabled` without
 * tokens, that number is the budget of models that have no adaptive thinking.
 */
export type ThinkingConfig = ThinkingAdaptive | ThinkingEnabled | ThinkingDisabled;

/** The model decides itself. */
export type ThinkingAdaptive = {
  type: "adaptive";
  display?: ThinkingDisplay;
};

/** Up to a number of tokens. */
export type ThinkingEnabled = {
  type: "enabled";
  budgetTokens?: number;
  display?: ThinkingDisplay;
};

export type ThinkingDisabled = {
  type: "disabled";
};
