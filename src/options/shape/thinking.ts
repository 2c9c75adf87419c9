import type { EffortLevel } from "../../wire/index.js";

export type Effort = EffortLevel;

export type ThinkingDisplay = "summarized" | "omitted" | "highlights";

/** How the model may think; wins over `maxThinkingTokens`. */
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
