export type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export type ThinkingDisplay = "summarized" | "omitted" | "highlights";

/** How the model may think; wins over `maxThinkingTokens`. */
export type ThinkingConfig =
  | { readonly type: "adaptive"; readonly display?: ThinkingDisplay }
  | {
      readonly type: "enabled";
      readonly budgetTokens?: number;
      readonly display?: ThinkingDisplay;
    }
  | { readonly type: "disabled" };
