export type { JsonSchema, StandardIssue, StandardResult, StandardSchema } from "../schema/index.js";
export type { BuiltinTool, ToolName } from "./builtin-tools.js";
export type { EnvironmentChanges, ExplainedFile, Explanation } from "./explain.js";
export type {
  CliFacts,
  HostFacts,
  Initialize,
  Invocation,
  PrivateFile,
  ProjectInput,
  SettingsInput,
} from "./invocation.js";
export type { ModelName, OptionName, Options, SettingSource } from "./options.js";
export type { AgentDefinition, AgentMcpServerSpec } from "./shape/agent.js";
export type {
  HookAnswer,
  HookCallback,
  HookCallbackMatcher,
  HookEvent,
  HookMatcher,
  Hooks,
} from "./shape/hook.js";
export type {
  Elicitation,
  InteractionContext,
  OnElicitation,
  OnUserDialog,
  UserDialog,
  UserDialogResult,
} from "./shape/interaction.js";
export type {
  AutoResumeOptions,
  RequestOptions,
  RetryOptions,
  TimeoutOptions,
} from "./shape/limits.js";
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
export type { OutputFormat } from "./shape/schema.js";
export type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
  SessionSummaryEntry,
} from "./shape/session-store.js";
export type { SpawnedProcess, SpawnRequest } from "./shape/spawned-process.js";
export type { CustomPrompt, PresetPrompt, SystemPromptOption } from "./shape/system-prompt.js";
export type {
  Effort,
  ThinkingAdaptive,
  ThinkingConfig,
  ThinkingDisabled,
  ThinkingDisplay,
  ThinkingEnabled,
} from "./shape/thinking.js";
export type { Version } from "./version.js";
