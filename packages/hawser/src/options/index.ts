export type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from "../schema/index.js";
export { CLIENT_TOOL_SERVER, offersClientTools } from "./apply/client-tools.js";
export { type NumberedHook, type NumberedHooks, numberHooks } from "./apply/hooks.js";
export { DEFERS_SINCE, POLICY_HOOK } from "./apply/policy-rules.js";
export type { Version } from "./cli-version.js";
export { compareVersions, parseVersion } from "./cli-version.js";
export { encodeFields, encodePlain } from "./encode-plain.js";
export { buildFromValid, buildInvocation, readOptions } from "./invocation/build-invocation.js";
export {
  CLOUD_SERVICES,
  CREDENTIAL_VARIABLES,
  KEY_VARIABLES,
  LOGIN_VARIABLES,
} from "./invocation/credential-variables.js";
export { environmentOf, setsPwd } from "./invocation/environment.js";
export type { EnvironmentChanges, ExplainedFile, Explanation } from "./invocation/explain.js";
export { explain, explainInvocation, explanationText } from "./invocation/explain.js";
export type {
  CliFacts,
  HostFacts,
  Initialize,
  Invocation,
  PrivateFile,
  ProjectInput,
  SettingsInput,
} from "./invocation/invocation.js";
export { KEPT_SINCE, requireKept } from "./invocation/kept-since.js";
export { requireEssential, requireEssentials } from "./invocation/supported-options.js";
export type {
  ModelName,
  OptionName,
  Options,
  OutputFormat,
  PluginConfig,
  SettingSource,
} from "./options.js";
export { AGENT, LEAN, withPreset } from "./presets.js";
export { requestedFacts } from "./requested-facts.js";
export {
  CALLER_OPTIONS,
  generalOptions,
  isExclusive,
  isFolderFree,
  pathsOfScope,
  residueOf,
} from "./table/option-facts.js";
export type {
  CallOption,
  Channel,
  GeneralOption,
  OptionRow,
  OptionTable,
  Scope,
  SessionOption,
} from "./table/option-row.js";
export { OPTION_NAMES, OPTION_TABLE } from "./table/option-table.js";
export type { BuiltinTool, ToolName } from "./tools/builtin-tools.js";
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
} from "./tools/builtin-tools.js";
export { callLine } from "./tools/call-line.js";
export { shadowedCallbackWarning, shadowedChangesWarning } from "./tools/shadowed-callback.js";
export { matchesWildcard } from "./tools/wildcard.js";
export type * from "./types/agent.js";
export type * from "./types/client-tool.js";
export type * from "./types/hooks.js";
export { HOOK_EVENTS } from "./types/hooks.js";
export type * from "./types/interaction.js";
export type * from "./types/limits.js";
export type * from "./types/mcp-config.js";
export type * from "./types/permission.js";
export type * from "./types/sandbox.js";
export type * from "./types/session-store.js";
export type * from "./types/spawned-process.js";
export type * from "./types/system-prompt.js";
export { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from "./types/system-prompt.js";
export type * from "./types/thinking.js";
export { PERMISSION_MODES } from "./validate/kinds/effort-and-mode.js";
export { mcpToolPrefix, readMcpServers } from "./validate/kinds/mcp-servers.js";
export { escapeRule } from "./validate/kinds/permission-rule.js";
export { refuseOptions, refuseWithoutPool } from "./validate/refuse-options.js";
export { settingsPath } from "./validate/settings-reading.js";
export { validateAppended, validateConversation } from "./validate/validate-history.js";
export {
  refuseCollidingServers,
  refuseOpenGuards,
  validateCallerOptions,
  validateOptions,
} from "./validate/validate-options.js";
export {
  validateCommand,
  validatePrompt,
  validateSendOptions,
} from "./validate/validate-prompt.js";
