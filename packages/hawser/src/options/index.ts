export { buildInvocation } from "./build.js";
export {
  BUILTIN_TOOL_NAMES,
  BUILTIN_TOOLS,
  KNOWN_TOOL_NAMES,
  LEGACY_TOOL_NAME_ALIASES,
  namesOfTool,
  sameCalls,
  type ToolCall,
  type ToolRow,
  toolRow,
} from "./builtin-tools.js";
export { mcpToolPrefix, readServers } from "./check/mcp.js";
export { escapeRule } from "./check/rule.js";
export { settingsPath } from "./check/settings.js";
export { PERMISSION_MODES } from "./check/word.js";
export {
  CLOUD_SERVICES,
  CREDENTIAL_VARIABLES,
  KEY_VARIABLES,
  LOGIN_VARIABLES,
} from "./credential-variables.js";
export { environmentOf, setsPwd } from "./environment.js";
export { explain, explainInvocation, explanationText } from "./explain.js";
export { GENERAL_OPTIONS, isExclusive, isFolderFree, pathsOfScope, residueOf } from "./facts.js";
export { like } from "./like.js";
export { AGENT, LEAN, withPreset } from "./presets.js";
export { validateCommand, validatePrompt, validateSendOptions } from "./prompt.js";
export type * from "./public.js";
export { refuseOptions, refuseWithoutPool } from "./refuse.js";
export { type NumberedHook, type NumberedHooks, numberHooks } from "./row/hooks.js";
export { POLICY_HOOK } from "./row/rules.js";
export { shadowedCallback, shadowedChanges } from "./shadowed-callback.js";
export { HOOK_EVENTS } from "./shape/hook.js";
export { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from "./shape/system-prompt.js";
export type {
  CallOption,
  Channel,
  GeneralOption,
  OptionRow,
  Scope,
  SessionOption,
} from "./spec.js";
export { OPTION_NAMES, OPTION_TABLE, type OptionTable } from "./table.js";
export { refuseCollidingServers, refuseOpenGuards, validateOptions } from "./validate.js";
export { compareVersions, parseVersion } from "./version.js";
