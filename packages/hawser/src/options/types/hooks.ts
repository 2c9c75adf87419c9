import type { HookInputs, HookJSONOutput } from "../../wire/index.js";

/** The events that the newest known CLI has. */
export const HOOK_EVENTS = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "SessionStart",
  "SessionEnd",
  "Stop",
  "StopFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "PreModelSwitch",
  "PostModelSwitch",
  "PermissionRequest",
  "PermissionDenied",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Called when its event happens; nothing returned is no opinion. Without `E` it is for any event. */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInputs[E],
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => HookAnswer | Promise<HookAnswer>;

export type HookAnswer = HookJSONOutput | undefined;

/** Callbacks for some or all of the tools. */
export interface HookMatcher<E extends HookEvent = HookEvent> {
  /** A pattern on the tool's name, such as `Bash|Write`; absent is every tool. */
  matcher?: string | undefined;
  hooks: readonly HookCallback<E>[];
  /** Seconds; the CLI's own limit is 600. */
  timeout?: number | undefined;
  /** What a callback that throws means: `block` refuses the call, and is the default of PreToolUse. */
  onFailure?: "continue" | "block" | undefined;
}

/** The official SDK's name for a matcher whose callbacks fit any event. */
export interface HookCallbackMatcher extends HookMatcher {
  hooks: HookCallback[];
}

/** Callbacks by event; each is told what its event brings. */
export type Hooks = { [E in HookEvent]?: readonly HookMatcher<E>[] | undefined };
