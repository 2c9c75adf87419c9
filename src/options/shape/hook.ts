import type { HookInput, HookOutput } from "../../wire/index.js";

/** The events that the newest known CLI has; a newer one may be named too. */
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

export type HookCallback = (
  input: HookInput,
  toolUseId: string | undefined,
  context: { readonly signal: AbortSignal },
) => HookOutput | Promise<HookOutput>;

export interface HookMatcher {
  /** A pattern on the tool's name, such as `Bash|Write`; absent is every tool. */
  readonly matcher?: string;
  readonly hooks: readonly HookCallback[];
  /** Seconds; the CLI's own limit is 600. */
  readonly timeout?: number;
  /** What a callback that throws means: `block` refuses the call. */
  readonly onFailure?: "continue" | "block";
}

export type Hooks = Readonly<Partial<Record<HookEvent, readonly HookMatcher[]>>>;
