import type { PermissionUpdate } from "../control/permission.js";

/**
 * The answer of a hook callback. An empty object changes nothing.
 *
 * @example
 * ```ts
 * const output: HookJSONOutput = { continue: false, stopReason: "The build is broken." };
 * ```
 */
export type HookJSONOutput = AsyncHookJSONOutput | SyncHookJSONOutput;

/** Alias of `HookJSONOutput`. */
export type HookOutput = HookJSONOutput;

/** The hook continues in the background, and the CLI does not wait for its answer. */
export type AsyncHookJSONOutput = {
  async: true;
  asyncTimeout?: number;
};

/** The answer of a hook that the CLI waits for. Every field is optional. */
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

/** Fields for one event, which `hookEventName` names. */
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

/** The decision of a PreToolUse hook. */
export type HookPermissionDecision = "allow" | "deny" | "ask" | "defer";

/** Decides about a tool call before it runs, or changes its input. */
export type PreToolUseHookSpecificOutput = {
  hookEventName: "PreToolUse";
  permissionDecision?: HookPermissionDecision;
  permissionDecisionReason?: string;
  /** Replaces the whole input of the tool. A field that you leave out is gone. */
  updatedInput?: Record<string, unknown>;
  additionalContext?: string;
};

/** Adds context for the model after a tool call, or replaces the output of the tool. */
export type PostToolUseHookSpecificOutput = {
  hookEventName: "PostToolUse";
  additionalContext?: string;
  classifierContext?: string;
  updatedToolOutput?: unknown;
  /** The older name, for tools of MCP servers only. */
  updatedMCPToolOutput?: unknown;
};

/** The output for an event whose hook can only add context for the model. */
type Remark<Event extends string> = { hookEventName: Event; additionalContext?: string };

/** Adds context for the model at PostToolUseFailure. */
export type PostToolUseFailureHookSpecificOutput = Remark<"PostToolUseFailure">;
/** Adds context for the model at PostToolBatch. */
export type PostToolBatchHookSpecificOutput = Remark<"PostToolBatch">;
/** Adds context for the model at PostModelSwitch. */
export type PostModelSwitchHookSpecificOutput = Remark<"PostModelSwitch">;
/** Adds context for the model at Notification. */
export type NotificationHookSpecificOutput = Remark<"Notification">;
/** Adds context for the model at Setup. */
export type SetupHookSpecificOutput = Remark<"Setup">;
/** Adds context for the model at Stop. */
export type StopHookSpecificOutput = Remark<"Stop">;
/** Adds context for the model at SubagentStart. */
export type SubagentStartHookSpecificOutput = Remark<"SubagentStart">;
/** Adds context for the model at SubagentStop. */
export type SubagentStopHookSpecificOutput = Remark<"SubagentStop">;

/** Adds context to a prompt, or names the session. */
export type UserPromptSubmitHookSpecificOutput = Remark<"UserPromptSubmit"> & {
  sessionTitle?: string;
  suppressOriginalPrompt?: boolean;
};

/** Adds context to a prompt that was expanded. */
export type UserPromptExpansionHookSpecificOutput = Remark<"UserPromptExpansion"> & {
  suppressOriginalPrompt?: boolean;
};

/** Adds context at the start of a session. */
export type SessionStartHookSpecificOutput = Remark<"SessionStart"> & {
  initialUserMessage?: string;
  sessionTitle?: string;
  watchPaths?: string[];
  reloadSkills?: boolean;
};

/** Decides about a switch of the model. */
export type PreModelSwitchHookSpecificOutput = {
  hookEventName: "PreModelSwitch";
  permissionDecision?: "allow" | "deny" | "ask";
  permissionDecisionReason?: string;
};

/** Answers a permission question in place of the user. */
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

/** Lets the model retry a denied tool call. */
export type PermissionDeniedHookSpecificOutput = {
  hookEventName: "PermissionDenied";
  retry?: boolean;
};

type Answer<Event extends string> = {
  hookEventName: Event;
  action?: "accept" | "decline" | "cancel";
  content?: Record<string, unknown>;
};

/** Answers a question of an MCP server in place of the user. */
export type ElicitationHookSpecificOutput = Answer<"Elicitation">;
/** Replaces the user's answer to a question of an MCP server. */
export type ElicitationResultHookSpecificOutput = Answer<"ElicitationResult">;

type Watch<Event extends string> = { hookEventName: Event; watchPaths?: string[] };

/** Paths to watch after a change of the working directory. */
export type CwdChangedHookSpecificOutput = Watch<"CwdChanged">;
/** Paths to watch after a change of a file. */
export type FileChangedHookSpecificOutput = Watch<"FileChanged">;

/** The path of the worktree that the hook created. */
export type WorktreeCreateHookSpecificOutput = {
  hookEventName: "WorktreeCreate";
  worktreePath: string;
};

/** Replaces the text that is shown. */
export type MessageDisplayHookSpecificOutput = {
  hookEventName: "MessageDisplay";
  displayContent?: string;
};
