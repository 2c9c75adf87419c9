export type {
  AssistantBody,
  AssistantError,
  AssistantMessage,
  SDKAssistantMessageError,
  StopReason,
} from "./assistant.js";
export type {
  CanUseToolRequest,
  CliRequest,
  ElicitationRequest,
  ElicitationResult,
  HookCallbackRequest,
  McpMessagePayload,
  McpMessageRequest,
  UserDialogRequest,
} from "./cli-request.js";
export type {
  ContentBlock,
  ContentBlocks,
  DocumentBlock,
  ImageBlock,
  MediaSource,
  Prompt,
  RedactedThinkingBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from "./content.js";
export type {
  ControlCancelRequest,
  ControlFailure,
  ControlRequest,
  ControlResponse,
  ControlSuccess,
  RequestBody,
  UnknownRequest,
} from "./control.js";
export type { Frame } from "./decode.js";
export type {
  AuthStatus,
  CommandLifecycle,
  ConversationReset,
  KeepAlive,
  PromptSuggestion,
  RateLimitEvent,
  RateLimitInfo,
  ToolProgress,
  ToolUseSummary,
  TranscriptMirror,
} from "./event.js";
export type { BrokenLine, FramedLine, OverlongLine } from "./framed-line.js";
export type { HookInput, HookInputs } from "./hook-input.js";
export type {
  ConfigChangeHookInput,
  CwdChangedHookInput,
  DirectoryAddedHookInput,
  ElicitationHookInput,
  ElicitationResultHookInput,
  FileChangedHookInput,
  InstructionsLoadedHookInput,
  MessageDisplayHookInput,
  TaskCompletedHookInput,
  TaskCreatedHookInput,
  TeammateIdleHookInput,
  WorktreeCreateHookInput,
  WorktreeRemoveHookInput,
} from "./hook-input-around.js";
export type { BaseHookInput, McpServerProvenance } from "./hook-input-base.js";
export type {
  BackgroundTaskSummary,
  ExitReason,
  NotificationHookInput,
  PostCompactHookInput,
  PostModelSwitchHookInput,
  PreCompactHookInput,
  PreModelSwitchHookInput,
  SessionCronSummary,
  SessionEndHookInput,
  SessionStartHookInput,
  SetupHookInput,
  StopFailureHookInput,
  StopHookInput,
  SubagentStartHookInput,
  SubagentStopHookInput,
  UserPromptExpansionHookInput,
  UserPromptSubmitHookInput,
} from "./hook-input-session.js";
export type {
  PermissionDeniedHookInput,
  PermissionRequestHookInput,
  PostToolBatchHookInput,
  PostToolBatchToolCall,
  PostToolUseFailureHookInput,
  PostToolUseHookInput,
  PreToolUseHookInput,
} from "./hook-input-tool.js";
export type {
  AsyncHookJSONOutput,
  CwdChangedHookSpecificOutput,
  ElicitationHookSpecificOutput,
  ElicitationResultHookSpecificOutput,
  FileChangedHookSpecificOutput,
  HookJSONOutput,
  HookOutput,
  HookPermissionDecision,
  HookSpecificOutput,
  MessageDisplayHookSpecificOutput,
  NotificationHookSpecificOutput,
  PermissionDeniedHookSpecificOutput,
  PermissionRequestHookSpecificOutput,
  PostModelSwitchHookSpecificOutput,
  PostToolBatchHookSpecificOutput,
  PostToolUseFailureHookSpecificOutput,
  PostToolUseHookSpecificOutput,
  PreModelSwitchHookSpecificOutput,
  PreToolUseHookSpecificOutput,
  SessionStartHookSpecificOutput,
  SetupHookSpecificOutput,
  StopHookSpecificOutput,
  SubagentStartHookSpecificOutput,
  SubagentStopHookSpecificOutput,
  SyncHookJSONOutput,
  UserPromptExpansionHookSpecificOutput,
  UserPromptSubmitHookSpecificOutput,
  WorktreeCreateHookSpecificOutput,
} from "./hook-output.js";
export type {
  CoalescedNotice,
  ContinuingNotice,
  DroppedNotice,
  HostNotice,
  PausedNotice,
  RecoveredNotice,
  RepairingNotice,
  RetryingNotice,
} from "./host-notice.js";
export type {
  AccountInfo,
  AgentInfo,
  ContextUsage,
  EffortLevel,
  HostPayload,
  HostPayloads,
  InitializePayload,
  InterruptReceipt,
  ModelInfo,
  RewindReceipt,
} from "./host-payload.js";
export type { HostRequest, HostRequestFields, HostSubtype } from "./host-request.js";
export type { HookRegistration, InitializeRequest } from "./initialize.js";
export type { LineFramerOptions } from "./line-framer.js";
export type {
  McpClaudeAIProxyServerConfig,
  McpHttpServerConfig,
  McpManifest,
  McpMessage,
  McpNotification,
  McpReply,
  McpRequest,
  McpSdkServerConfig,
  McpServerConfigForProcessTransport,
  McpServerState,
  McpServerStatus,
  McpServerStatusConfig,
  McpServerToolPolicy,
  McpSSEServerConfig,
  McpStdioServerConfig,
  McpToolCall,
  McpToolResult,
} from "./mcp.js";
export type { Message, Messages, UnknownMessage } from "./message.js";
export type { JsonObject, Open, Stamped } from "./open.js";
export type { AssistantLine, Outbound, UserLine, UserLineOptions } from "./outbound.js";
export type {
  PermissionAllow,
  PermissionBehavior,
  PermissionDecisionClassification,
  PermissionDeny,
  PermissionDestination,
  PermissionMode,
  PermissionModeName,
  PermissionResult,
  PermissionRule,
  PermissionRuleValue,
  PermissionUpdate,
  PermissionUpdateDestination,
} from "./permission.js";
export type { PermissionDenial, ResultMessage, ResultSubtype, TerminalReason } from "./result.js";
export type {
  ApiEvent,
  BlockDelta,
  ContentBlockDelta,
  ContentBlockStart,
  ContentBlockStop,
  MessageDelta,
  MessageStart,
  MessageStop,
  StreamEvent,
  UnknownApiEvent,
} from "./stream-event.js";
export type { SystemMessage, SystemMessages } from "./system.js";
export type { SystemHookProgress, SystemHookResponse, SystemHookStarted } from "./system-hook.js";
export type { SystemInit } from "./system-init.js";
export type {
  SystemElicitationComplete,
  SystemFilesPersisted,
  SystemInformational,
  SystemLocalCommandOutput,
  SystemMemoryRecall,
  SystemMirrorError,
  SystemNotification,
  SystemPermissionDenied,
  SystemPluginInstall,
} from "./system-notice.js";
export type {
  SlashCommand,
  SystemApiRetry,
  SystemCommandsChanged,
  SystemCompactBoundary,
  SystemModelFallback,
  SystemModelRefusalFallback,
  SystemModelRefusalNoFallback,
  SystemProgress,
  SystemProgressSubtype,
  SystemSessionStateChanged,
  SystemStatus,
  SystemThinkingTokens,
  UnknownSystem,
} from "./system-state.js";
export type {
  SystemBackgroundTasksChanged,
  SystemTaskNotification,
  SystemTaskProgress,
  SystemTaskStarted,
  SystemTaskUpdated,
  TaskStatus,
  TaskType,
  TaskUsage,
} from "./system-task.js";
export type { ModelUsage, Usage } from "./usage.js";
export type { ToolResultMeta, UserBody, UserMessage } from "./user.js";
