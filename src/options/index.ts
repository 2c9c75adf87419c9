export { buildInvocation } from "./build.js";
export { readServers } from "./check/mcp.js";
export { nearest } from "./check/name.js";
export { escapeRule } from "./check/rule.js";
export { settingsPath } from "./check/settings.js";
export {
  type EnvironmentChanges,
  type ExplainedFile,
  type Explanation,
  explain,
  explainInvocation,
  explanationText,
} from "./explain.js";
export { given } from "./given.js";
export type {
  CliFacts,
  HostFacts,
  Initialize,
  Invocation,
  PrivateFile,
  SettingsInput,
} from "./invocation.js";
export { LEGACY_TOOL_NAME_ALIASES } from "./legacy-tool-names.js";
export type { OptionName, Options, SettingSource } from "./options.js";
export { AGENT, LEAN, withPreset } from "./presets.js";
export { validatePrompt, validateSendOptions } from "./prompt.js";
export { OF_CALLS, OF_POOLS, refuseOptions, refuseWithoutPool } from "./refuse.js";
export { type NumberedHook, type NumberedHooks, numberHooks } from "./row/hooks.js";
export { POLICY_HOOK } from "./row/rules.js";
export type { AgentDefinition, AgentMcpServerSpec } from "./shape/agent.js";
export {
  HOOK_EVENTS,
  type HookAnswer,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
  type HookMatcher,
  type Hooks,
} from "./shape/hook.js";
export type {
  Elicitation,
  InteractionContext,
  OnElicitation,
  OnUserDialog,
  UserDialog,
  UserDialogResult,
} from "./shape/interaction.js";
export type { AutoResumeOptions, RetryOptions, TimeoutOptions } from "./shape/limits.js";
export type {
  McpRemoteServer,
  McpSdkServer,
  McpServerConfig,
  McpStdioServer,
} from "./shape/mcp-config.js";
export type { CanUseTool, CanUseToolContext, PolicyRule } from "./shape/permission.js";
export type { PluginConfig } from "./shape/plugin.js";
export type {
  SandboxCredentials,
  SandboxFilesystem,
  SandboxNetwork,
  SandboxSettings,
} from "./shape/sandbox.js";
export type {
  JsonSchema,
  OutputFormat,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./shape/schema.js";
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from "./shape/session-store.js";
export type { SpawnedProcess, SpawnRequest } from "./shape/spawned-process.js";
export {
  type CustomPrompt,
  type PresetPrompt,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  type SystemPromptOption,
} from "./shape/system-prompt.js";
export type {
  Effort,
  ThinkingAdaptive,
  ThinkingConfig,
  ThinkingDisabled,
  ThinkingDisplay,
  ThinkingEnabled,
} from "./shape/thinking.js";
export type { OptionSpec, Way } from "./spec.js";
export { OPTION_TABLE, type OptionTable } from "./table.js";
export { validateOptions } from "./validate.js";
export { compareVersions, parseVersion, type Version } from "./version.js";
