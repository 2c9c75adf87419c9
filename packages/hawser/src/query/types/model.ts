/** Fast mode: off, paused after a rate limit, or on. */
export type FastModeState = "off" | "cooldown" | "on";

export type FastModeDisabledReason =
  | "free"
  | "preference"
  | "extra_usage_disabled"
  | "network_error"
  | "unknown"
  | "not_first_party"
  | "disabled_by_env"
  | "model_not_allowed"
  | "sdk_opt_in_required"
  | "pending";

/** Which credential is used; the last five are of older CLIs. */
export type ApiKeySource =
  | "ANTHROPIC_API_KEY"
  | "apiKeyHelper"
  | "/login managed key"
  | "none"
  | "user"
  | "project"
  | "org"
  | "temporary"
  | "oauth";

export type SdkBeta = "context-1m-2025-08-07";

/** Which of the models that were asked about a list of denied ones blocks. */
export type DeniedModelsMatch = {
  /** In the order of the models. */
  denied: boolean[];
  /** What is odd about an entry or a model. */
  warnings: string[];
};
