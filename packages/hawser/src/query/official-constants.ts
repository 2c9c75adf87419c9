export { BUILTIN_TOOL_NAMES, LEGACY_TOOL_NAME_ALIASES } from "../options/index.js";

/** The reasons for the end of a session, as a SessionEnd hook gets them. */
export const EXIT_REASONS = ["clear", "resume", "logout", "prompt_input_exit", "other"] as const;

/** How the texts begin by which the CLI says that a usage limit was reached. */
export const USAGE_LIMIT_ERROR_PREFIXES = [
  "You've hit your",
  "You've reached your",
  "You're out of usage credits",
  "Your org is out of usage · add funds to continue",
  "Your org is out of usage · contact your admin",
  "Your seat type doesn't include usage credits",
  "Your seat type doesn't include usage",
  "Your usage allocation has been disabled by your admin",
  "Your group's usage limit is set to $0",
  "Fable 5 requires usage credits",
  "You're out of extra usage",
  "Your seat type doesn't include extra usage",
] as const;

/** How its warnings of a near limit begin. */
export const USAGE_WARNING_PREFIXES = ["You've used", "You're close to"] as const;

/** How its notes begin that usage is now paid from elsewhere. */
export const USAGE_TRANSITION_PREFIXES = [
  "You're now using usage credits",
  "You're now using your usage allocation",
  "Now using your usage allocation",
  "Now using usage credits",
  "Now using credits",
  "You're now using extra usage",
  "Now using extra usage",
] as const;

/** How the texts begin by which it says that the organisation does not permit it. */
export const ORG_POLICY_LIMIT_PREFIXES = ["This service is disabled for your org"] as const;
