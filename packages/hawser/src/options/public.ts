export type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from "../schema/index.js";
export type { EnvironmentChanges, ExplainedFile, Explanation } from "./invocation/explain.js";
export type {
  CliFacts,
  HostFacts,
  Initialize,
  Invocation,
  PrivateFile,
  ProjectInput,
  SettingsInput,
} from "./invocation/invocation.js";
export type {
  ModelName,
  OptionName,
  Options,
  OutputFormat,
  PluginConfig,
  SettingSource,
} from "./options.js";
export type { BuiltinTool, ToolName } from "./tools/builtin-tools.js";
export type { AgentDefinition, AgentMcpServerSpec } from "./types/agent.js";
export type {
  HookAnswer,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookMatcher,
  Hooks,
} from "./types/hooks.js";
export type {
  Elicitation,
  InteractionContext,
  OnElicitation,
  OnUserDialog,
  UserDialog,
  UserDialogResult,
} from "./types/interaction.js";
export type {
  AutoResumeOptions,
  RequestOptions,
  RetryOptions,
  TimeoutOptions,
} from "./types/limits.js";
export type {
  McpRemoteServer,
  McpSdkServer,
  McpServerConfig,
  McpStdioServer,
} from "./types/mcp-config.js";
export type { CanUseTool, CanUseToolContext, PolicyRule } from "./types/permission.js";
export type {
  SandboxCredentials,
  SandboxFilesystem,
  SandboxNetwork,
  SandboxSettings,
} from "./types/sandbox.js";
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from "./types/session-store.js";
export type { SpawnedProcess, SpawnRequest } from "./types/spawned-process.js";
export type { CustomPrompt, PresetPrompt, SystemPromptOption } from "./types/system-prompt.js";
export type {
  Effort,
  ThinkingAdaptive,
  ThinkingConfig,
  ThinkingDisabled,
  ThinkingDisplay,
  ThinkingEnabled,
} from "./types/thinking.js";
export type { Version } from "./version.js";
