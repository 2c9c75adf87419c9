import type { SDKAssistantMessageError } from "../message/assistant.js";
import type { BaseHookInput } from "./base-hook-input.js";

/** Why a session ended. */
export type ExitReason = "clear" | "resume" | "logout" | "prompt_input_exit" | "other";

/** The CLI shows a notification. */
export type NotificationHookInput = BaseHookInput & {
  hook_event_name: "Notification";
  message: string;
  title?: string;
  notification_type: string;
};

/** A prompt was submitted and is about to be processed. */
export type UserPromptSubmitHookInput = BaseHookInput & {
  hook_event_name: "UserPromptSubmit";
  prompt: string;
  source?: "user" | "sdk" | "system" | "loop_wakeup" | "schedule_wakeup" | "poll_event";
  session_title?: string;
};

/** A slash command or a prompt of an MCP server was expanded to text. */
export type UserPromptExpansionHookInput = BaseHookInput & {
  hook_event_name: "UserPromptExpansion";
  expansion_type: "slash_command" | "mcp_prompt";
  command_name: string;
  command_args: string;
  command_source?: string;
  prompt: string;
};

/** A session starts. A callback sees this only after `/clear`, because the CLI starts before it. */
export type SessionStartHookInput = BaseHookInput & {
  hook_event_name: "SessionStart";
  source: "startup" | "resume" | "clear" | "compact" | "fork";
  agent_type?: string;
  model?: string;
  session_title?: string;
  seconds_since_last_response?: number;
  context_tokens?: number;
  prompt_cache_likely_expired?: boolean;
  estimated_cache_write_usd?: number;
};

/** A session ends. A callback sees this only at `/clear`: at its own exit it waits for none. */
export type SessionEndHookInput = BaseHookInput & {
  hook_event_name: "SessionEnd";
  reason: ExitReason;
};

/** The CLI runs its setup or maintenance. */
export type SetupHookInput = BaseHookInput & {
  hook_event_name: "Setup";
  trigger: "init" | "maintenance";
};

type EndOfWork = {
  /** True if an earlier answer of this hook keeps the model going. */
  stop_hook_active: boolean;
  last_assistant_message?: string;
  background_tasks?: BackgroundTaskSummary[];
  session_crons?: SessionCronSummary[];
};

/** The model is about to end its turn. */
export type StopHookInput = BaseHookInput & EndOfWork & { hook_event_name: "Stop" };

/** A turn ended because of an API failure. */
export type StopFailureHookInput = BaseHookInput & {
  hook_event_name: "StopFailure";
  error: SDKAssistantMessageError;
  error_details?: string;
  last_assistant_message?: string;
};

/** A sub-agent starts. */
export type SubagentStartHookInput = BaseHookInput & {
  hook_event_name: "SubagentStart";
  agent_id: string;
  agent_type: string;
};

/** A sub-agent is about to end. */
export type SubagentStopHookInput = BaseHookInput &
  EndOfWork & {
    hook_event_name: "SubagentStop";
    agent_id: string;
    agent_type: string;
    agent_transcript_path: string;
  };

/** Background work that is still running when a turn ends. */
export type BackgroundTaskSummary = {
  id: string;
  /** Such as `shell`, `subagent`, `monitor`, `workflow`. */
  type: string;
  status: string;
  description: string;
  command?: string;
  agent_type?: string;
  server?: string;
  tool?: string;
  name?: string;
};

/** A prompt that the session will send itself. */
export type SessionCronSummary = {
  id: string;
  schedule: string;
  recurring: boolean;
  prompt: string;
};

/** The conversation is about to be compacted. */
export type PreCompactHookInput = BaseHookInput & {
  hook_event_name: "PreCompact";
  trigger: "manual" | "auto";
  custom_instructions: string | null;
};

/** The conversation was compacted. */
export type PostCompactHookInput = BaseHookInput & {
  hook_event_name: "PostCompact";
  trigger: "manual" | "auto";
  compact_summary: string;
};

type ModelSwitch = {
  from_model: string;
  to_model: string;
  requested_model: string | null;
  context_tokens: number;
  prompt_cache_warm: boolean;
  cache_ttl: "5m" | "1h";
  /** The cost of filling the new model's cache. */
  estimated_cache_write_usd: number;
  pricing: "configured" | "catalog" | "default";
};

/** The model is about to be switched. */
export type PreModelSwitchHookInput = BaseHookInput &
  ModelSwitch & { hook_event_name: "PreModelSwitch"; source: "command" | "picker" | "sdk" };

/** The model was switched. */
export type PostModelSwitchHookInput = BaseHookInput &
  ModelSwitch & {
    hook_event_name: "PostModelSwitch";
    source: "command" | "picker" | "sdk" | "auto" | "resume";
  };
