import type { SystemInit } from "./system-init.js";
import type {
  SystemElicitationComplete,
  SystemFilesPersisted,
  SystemHookProgress,
  SystemHookResponse,
  SystemHookStarted,
  SystemInformational,
  SystemLocalCommandOutput,
  SystemMemoryRecall,
  SystemMirrorError,
  SystemNotification,
  SystemPermissionDenied,
  SystemPluginInstall,
} from "./system-notice.js";
import type {
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
import type {
  SystemBackgroundTasksChanged,
  SystemTaskNotification,
  SystemTaskProgress,
  SystemTaskStarted,
  SystemTaskUpdated,
} from "./system-task.js";

/** A message with `type: "system"`. An unknown subtype is passed on unchanged. */
export type SystemMessage = SystemMessages[keyof SystemMessages] | UnknownSystem;

/** The messages with `type: "system"`, by subtype. */
export interface SystemMessages extends Record<SystemProgressSubtype, SystemProgress> {
  init: SystemInit;
  session_state_changed: SystemSessionStateChanged;
  status: SystemStatus;
  api_retry: SystemApiRetry;
  model_fallback: SystemModelFallback;
  model_refusal_fallback: SystemModelRefusalFallback;
  model_refusal_no_fallback: SystemModelRefusalNoFallback;
  compact_boundary: SystemCompactBoundary;
  thinking_tokens: SystemThinkingTokens;
  commands_changed: SystemCommandsChanged;
  task_started: SystemTaskStarted;
  task_progress: SystemTaskProgress;
  task_updated: SystemTaskUpdated;
  task_notification: SystemTaskNotification;
  background_tasks_changed: SystemBackgroundTasksChanged;
  hook_started: SystemHookStarted;
  hook_progress: SystemHookProgress;
  hook_response: SystemHookResponse;
  permission_denied: SystemPermissionDenied;
  informational: SystemInformational;
  notification: SystemNotification;
  local_command_output: SystemLocalCommandOutput;
  plugin_install: SystemPluginInstall;
  files_persisted: SystemFilesPersisted;
  memory_recall: SystemMemoryRecall;
  elicitation_complete: SystemElicitationComplete;
  mirror_error: SystemMirrorError;
}
