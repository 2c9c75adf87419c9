import type { PermissionUpdate } from "../control/permission.js";

/** The payload that answers `hook_callback`; an empty one changes nothing. */
export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;

export type HookOutput = HookJSONOutput;

/** The hook continues in the background; the CLI does not wait for its answer. */
export type AsyncHookJSONOutput = {
  async: true;
  asyncTimeout?: number;
};

export type SyncHookJSONOutput = {
  /** False ends the turn. */
  continue?: boolean;
  suppressOutput?: boolean;
  stopReason?: string;
  decision?: "approve" | "block";
  systemMessage?: string;
  terminalSequence?: string;
  reason?: string;
  hookSpecificOutput?: HookSpecificOutput;
};

/** Fields for one event only, which `hookEventName` names. */
export type HookSpecificOutput =
  | PreToolUseHookSpecificOutput
  | UserPromptSubmitHookSpecificOutput
  | UserPromptExpansionHookSpecificOutput
  | SessionStartHookSpecificOutput
  | SetupHookSpecificOutput
  | PreModelSwitchHookSpecificOutput
  | PostModelSwitchHookSpecificOutput
  | SubagentStartHookSpecificOutput
  | PostToolUseHookSpecificOutput
  | PostToolUseFailureHookSpecificOutput
  | PostToolBatchHookSpecificOutput
  | StopHookSpecificOutput
  | SubagentStopHookSpecificOutput
  | PermissionDeniedHookSpecificOutput
  | NotificationHookSpecificOutput
  | PermissionRequestHookSpecificOutput
  | ElicitationHookSpecificOutput
  | ElicitationResultHookSpecificOutput
  | CwdChangedHookSpecificOutput
  | FileChangedHookSpecificOutput
  | WorktreeCreateHookSpecificOutput
  | MessageDisplayHookSpecificOutput;

export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

export type PreToolUseHookSpecificOutput = {
  hookEventName: "PreToolUse";
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** Replaces the whole input: a field that is left out is gone. */
  updatedInput?: Record<string, unknown>;
  additionalContext?: string;
};

export type PostToolUseHookSpecificOutput = {
  hookEventName: "PostToolUse";
  additionalContext?: string;
  classifierContext?: string;
  updatedToolOutput?: unknown;
  /** The older name, for tools of MCP servers only. */
  updatedMCPToolOutput?: unknown;
};

/** An event whose hook can only tell the model something. */
type Remark<Event extends string> = { hookEventName: Event; additionalContext?: string };

export type PostToolUseFailureHookSpecificOutput = Remark<"PostToolUseFailure">;
export type PostToolBatchHookSpecificOutput = Remark<"PostToolBatch">;
export type PostModelSwitchHookSpecificOutput = Remark<"PostModelSwitch">;
export type NotificationHookSpecificOutput = Remark<"Notification">;
export type SetupHookSpecificOutput = Remark<"Setup">;
export type StopHookSpecificOutput = Remark<"Stop">;
export type SubagentStartHookSpecificOutput = Remark<"SubagentStart">;
export type SubagentStopHookSpecificOutput = Remark<"SubagentStop">;

export type UserPromptSubmitHookSpecificOutput = Remark<"UserPromptSubmit"> & {
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};

export type UserPromptExpansionHookSpecificOutput = Remark<"UserPromptExpansion"> & {
  suppressOriginalPrompt?: boolean;
};

export type SessionStartHookSpecificOutput = Remark<"SessionStart"> & {
  initialUserMessage?: string;
  sessionTitle?: string;
  watchPaths?: string[];
  reloadSkills?: boolean;
};

export type PreModelSwitchHookSpecificOutput = {
  hookEventName: "PreModelSwitch";
  permissionDecision?: "allow" | "deny" | "ask";
  permissionDecisionReason?: string;
};

export type PermissionRequestHookSpecificOutput = {
  hookEventName: "PermissionRequest";
  decision:
    | {
        behavior: "allow";
        updatedInput?: Record<string, unknown>;
        updatedPermissions?: PermissionUpdate[];
      }
    | { behavior: "deny"; message?: string; interrupt?: boolean };
};

export type PermissionDeniedHookSpecificOutput = {
  hookEventName: "PermissionDenied";
  retry?: boolean;
};

type Answer<Event extends string> = {
  hookEventName: Event;
  action?: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
};

export type ElicitationHookSpecificOutput = Answer<"Elicitation">;
export type ElicitationResultHookSpecificOutput = Answer<"ElicitationResult">;

type Watch<Event extends string> = { hookEventName: Event; watchPaths?: string[] };

export type CwdChangedHookSpecificOutput = Watch<"CwdChanged">;
export type FileChangedHookSpecificOutput = Watch<"FileChanged">;

export type WorktreeCreateHookSpecificOutput = {
  hookEventName: "WorktreeCreate";
  worktreePath: string;
};

export type MessageDisplayHookSpecificOutput = {
  hookEventName: "MessageDisplay";
  displayContent?: string;
};
