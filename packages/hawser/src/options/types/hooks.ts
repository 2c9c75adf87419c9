import type { HookInputs, HookJSONOutput } from "../../wire/index.js";

/** The names of all hook events of the newest known CLI. */
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

/** The name of a hook event, such as `PreToolUse`. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/**
 * Called when a hook event happens. Return nothing to let the CLI go on as usual. Without `E`, the
 * callback fits any event.
 *
 * @example
 * ```ts
 * const deny: HookCallback<"PreToolUse"> = async () => ({
 *   hookSpecificOutput: {
 *     hookEventName: "PreToolUse",
 *     permissionDecision: "deny",
 *     permissionDecisionReason: "Not in this session.",
 *   },
 * });
 * ```
 */
export type HookCallback<E extends HookEvent = HookEvent> = (
  input: HookInputs[E],
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => HookAnswer | Promise<HookAnswer>;

/** The answer of a hook callback; `undefined` is no decision. */
export type HookAnswer = HookJSONOutput | undefined;

/** Callbacks of one hook event, for all tools or for those that `matcher` matches. */
export interface HookMatcher<E extends HookEvent = HookEvent> {
  /**
   * A pattern for the tool's name, such as `Bash|Write`. Tool names are case-sensitive.
   * @default every tool
   */
  matcher?: string | undefined;
  /** The callbacks to call. */
  hooks: readonly HookCallback<E>[];
  /**
   * Time limit for the callbacks, in seconds.
   * @default 600
   */
  timeout?: number | undefined;
  /**
   * What happens if a callback throws: `block` blocks what the event is about, such as the tool
   * call.
   * @default "block" for PreToolUse, "continue" for other events
   */
  onFailure?: "continue" | "block" | undefined;
}

/** Like `HookMatcher` with callbacks for any event. The official Agent SDK has this name. */
export interface HookCallbackMatcher extends HookMatcher {
  hooks: HookCallback[];
}

/** Hook callbacks by event. Each callback gets the input of its event. */
export type Hooks = { [E in HookEvent]?: readonly HookMatcher<E>[] | undefined };
