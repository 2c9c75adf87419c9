import type { UUID } from "node:crypto";
import type {
  AssistantMessage,
  AuthStatus,
  ConversationReset,
  PermissionMode,
  PromptSuggestion,
  RateLimitEvent,
  RateLimitInfo,
  Stamped,
  StreamEvent,
  SystemApiRetry,
  SystemBackgroundTasksChanged,
  SystemCommandsChanged,
  SystemCompactBoundary,
  SystemElicitationComplete,
  SystemFilesPersisted,
  SystemHookProgress,
  SystemHookResponse,
  SystemHookStarted,
  SystemInformational,
  SystemInit,
  SystemLocalCommandOutput,
  SystemMemoryRecall,
  SystemMirrorError,
  SystemModelRefusalFallback,
  SystemModelRefusalNoFallback,
  SystemNotification,
  SystemPermissionDenied,
  SystemPluginInstall,
  SystemSessionStateChanged,
  SystemStatus,
  SystemTaskNotification,
  SystemTaskProgress,
  SystemTaskStarted,
  SystemTaskUpdated,
  SystemThinkingTokens,
  ToolProgress,
  ToolUseSummary,
} from "../../wire/index.js";
import type { BetaMessage, BetaRawMessageStreamEvent } from "./api/message.js";
import type { SDKContextUsage, SDKUsageReport } from "./context.js";
import type { Official } from "./official.js";
import type { SDKResultMessage } from "./result.js";
import type { SDKUserMessage, SDKUserMessageReplay } from "./user.js";

/**
 * A message that `query()` yields; `type` and `subtype` tell them apart. A newer CLI may send a message
 * of another type, which is yielded unchanged, so a `default` branch must not throw.
 */
export type SDKMessage =
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKResultMessage
  | SDKPartialAssistantMessage
  | SDKToolProgressMessage
  | SDKAuthStatusMessage
  | SDKToolUseSummaryMessage
  | SDKRateLimitEvent
  | SDKPromptSuggestionMessage
  | SDKConversationResetMessage
  | SDKSystemMessage
  | SDKCompactBoundaryMessage
  | SDKStatusMessage
  | SDKAPIRetryMessage
  | SDKControlRequestProgressMessage
  | SDKModelRefusalFallbackMessage
  | SDKModelRefusalNoFallbackMessage
  | SDKLocalCommandOutputMessage
  | SDKHookStartedMessage
  | SDKHookProgressMessage
  | SDKHookResponseMessage
  | SDKPluginInstallMessage
  | SDKTaskNotificationMessage
  | SDKTaskStartedMessage
  | SDKTaskUpdatedMessage
  | SDKTaskProgressMessage
  | SDKBackgroundTasksChangedMessage
  | SDKThinkingTokensMessage
  | SDKSessionStateChangedMessage
  | SDKWorkerShuttingDownMessage
  | SDKCommandsChangedMessage
  | SDKNotificationMessage
  | SDKFilesPersistedEvent
  | SDKMemoryRecallMessage
  | SDKElicitationCompleteMessage
  | SDKPermissionDeniedMessage
  | SDKMirrorErrorMessage
  | SDKInformationalMessage
  | SDKSessionWritesLostMessage;

/** One block of a reply: a message of several blocks comes as several of these. */
export type SDKAssistantMessage = Official<
  AssistantMessage,
  {
    message: BetaMessage;
    /** Messages sent earlier that this one replaces. */
    supersedes?: UUID[];
    /** The partial text of an interrupted reply. */
    aborted?: true;
    resumed_from_incomplete_thinking?: true;
    context_usage?: SDKContextUsage;
    usage_report?: SDKUsageReport;
  }
>;

/** A raw event of the API; only with `includePartialMessages`. */
export type SDKPartialAssistantMessage = Official<
  StreamEvent,
  { event: BetaRawMessageStreamEvent }
>;

/** A heartbeat of a tool or a hook that is still running. */
export type SDKToolProgressMessage = Official<ToolProgress>;

/** A summary of several tool calls. */
export type SDKToolUseSummaryMessage = Official<ToolUseSummary>;

/** The progress of a login. */
export type SDKAuthStatusMessage = Official<AuthStatus>;

/** A guess at the next prompt. It comes after the result. */
export type SDKPromptSuggestionMessage = Official<PromptSuggestion>;

/** The messages that follow have a new session id, which is not `new_conversation_id`. */
export type SDKConversationResetMessage = Official<
  ConversationReset,
  { new_conversation_id: UUID }
>;

/** The goal of the session; `null` if there is none. */
export type SDKActiveGoalMessage = Official<
  Stamped,
  {
    type: "active_goal";
    value: {
      condition: string;
      iterations: number;
      set_at: number;
      tokens_at_start: number;
      last_reason?: string;
    } | null;
  }
>;

/** Only for subscription accounts. */
export type SDKRateLimitEvent = Official<RateLimitEvent, { rate_limit_info: SDKRateLimitInfo }>;

/** The state of a rate limit of the account. */
export type SDKRateLimitInfo = Official<RateLimitInfo>;

/** Comes first in every turn, after the CLI has accepted a prompt, never at start-up. */
export type SDKSystemMessage = Official<
  SystemInit,
  {
    mcp_servers: { name: string; status: string; source?: string }[];
    permissionMode: PermissionMode;
    skills: string[];
    plugins: { name: string; path: string; version?: string }[];
    plugin_errors?: {
      plugin: string;
      type: string;
      message: string;
      path?: string;
      managed_lock?: { plugin_enabled: boolean; name: string; marketplace?: string };
    }[];
  }
>;

/** The activity of the CLI; `null` if there is none to report. */
export type SDKStatus = "compacting" | "requesting" | null;

/** Also announces a change of the permission mode. */
export type SDKStatusMessage = Official<
  SystemStatus,
  { status: SDKStatus; permissionMode?: PermissionMode }
>;

/** `idle` does not count background shells, which may still run. */
export type SDKSessionStateChangedMessage = Official<SystemSessionStateChanged>;

/** The conversation was compacted here. */
export type SDKCompactBoundaryMessage = Official<
  SystemCompactBoundary,
  {
    compact_metadata: {
      trigger: "manual" | "auto";
      pre_tokens: number;
      post_tokens?: number;
      duration_ms?: number;
      preserved_segment?: { head_uuid: UUID; anchor_uuid: UUID; tail_uuid: UUID };
      preserved_messages?: { anchor_uuid: UUID; uuids: UUID[] };
    };
  }
>;

/** The CLI repeats a request to the API. */
export type SDKAPIRetryMessage = Official<SystemApiRetry>;

/** The progress of a control request. */
export type SDKControlRequestProgressMessage = System<
  "control_request_progress",
  {
    request_id: string;
    status: "started" | "api_retry";
    attempt?: number;
    max_retries?: number;
    retry_delay_ms?: number;
    error_status?: number | null;
  }
>;

/** A model refused, and another model answers. */
export type SDKModelRefusalFallbackMessage = Official<
  SystemModelRefusalFallback,
  { direction: "retry" | "revert" | "sticky"; request_id: string | null }
>;

/** A model refused, and no other model answers. */
export type SDKModelRefusalNoFallbackMessage = Official<
  SystemModelRefusalNoFallback,
  Pick<
    SDKModelRefusalFallbackMessage,
    | "original_model"
    | "request_id"
    | "api_refusal_category"
    | "api_refusal_explanation"
    | "refused_user_message_uuid"
    | "content"
  >
>;

/** The output of a slash command that needs no model. */
export type SDKLocalCommandOutputMessage = Official<SystemLocalCommandOutput>;

/** A hook of a settings file has started; hooks that are callbacks have no such message. */
export type SDKHookStartedMessage = Official<SystemHookStarted>;

/** The output of a hook that is running. */
export type SDKHookProgressMessage = Official<SystemHookProgress>;

/** A hook has ended. */
export type SDKHookResponseMessage = Official<SystemHookResponse>;

/** The progress of the installation of a plugin. */
export type SDKPluginInstallMessage = Official<SystemPluginInstall>;

/** How many tokens the model has used for thinking so far. */
export type SDKThinkingTokensMessage = Official<SystemThinkingTokens>;

/** The process of the CLI is about to end. */
export type SDKWorkerShuttingDownMessage = System<"worker_shutting_down", { reason: string }>;

/** The slash commands have changed. */
export type SDKCommandsChangedMessage = Official<SystemCommandsChanged>;

/** A notification for the user. */
export type SDKNotificationMessage = Official<SystemNotification>;

/** Files that were persisted, and files that could not be. */
export type SDKFilesPersistedEvent = Official<SystemFilesPersisted>;

/** Memories that the CLI recalled. */
export type SDKMemoryRecallMessage = Official<SystemMemoryRecall>;

/** An elicitation of an MCP server is complete. */
export type SDKElicitationCompleteMessage = Official<SystemElicitationComplete>;

/** A tool call that a rule or a mode denied, so that no callback was asked. */
export type SDKPermissionDeniedMessage = Official<SystemPermissionDenied>;

/** A write to the caller's session store failed. */
export type SDKMirrorErrorMessage = Official<SystemMirrorError>;

/** A note of the CLI for the user. */
export type SDKInformationalMessage = Official<
  SystemInformational,
  { level: "info" | "notice" | "suggestion" | "warning" }
>;

/** The disk is full: parts of the transcript are gone. */
export type SDKSessionWritesLostMessage = System<
  "session_writes_lost",
  {
    error_code: "ENOSPC" | "EDQUOT";
    lost: ("transcript" | "global_config")[];
    transcript_session_ids?: string[];
  }
>;

/** A sub-agent, or a shell that runs for more than some seconds. */
export type SDKTaskStartedMessage = Official<SystemTaskStarted, { task_type?: string }>;

/** The progress of a background task. */
export type SDKTaskProgressMessage = Official<SystemTaskProgress>;

/** The state of a background task has changed. */
export type SDKTaskUpdatedMessage = Official<SystemTaskUpdated>;

/** The end of a task. The CLI may start a turn after it that no prompt asked for. */
export type SDKTaskNotificationMessage = Official<
  SystemTaskNotification,
  { status: "completed" | "failed" | "stopped" }
>;

/** Lists every live background task, not only the new ones. */
export type SDKBackgroundTasksChangedMessage = Official<
  SystemBackgroundTasksChanged,
  {
    tasks: {
      task_id: string;
      run_id?: string;
      task_type: string;
      subagent_type?: string;
      description: string;
      parent_task_id?: string;
      ambient?: boolean;
    }[];
  }
>;

/** A `system` message whose fields the wire does not describe. */
type System<Subtype extends string, Fields> = Official<
  Stamped,
  { type: "system"; subtype: Subtype } & Fields
>;
