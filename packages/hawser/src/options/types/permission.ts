import type { McpServerProvenance, PermissionResult, PermissionUpdate } from "../../wire/index.js";
import type { ToolName } from "../tools/builtin-tools.js";

/**
 * Decides about a tool call that no rule and no permission mode decides. `null` leaves the question
 * open.
 *
 * @example
 * ```ts
 * const canUseTool: CanUseTool = async (tool, input) =>
 *   tool === "Write"
 *     ? { behavior: "allow", updatedInput: input }
 *     : { behavior: "deny", message: "Only files may be written." };
 * ```
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolContext,
) => PermissionResult | null | Promise<PermissionResult | null>;

/** What is known about the tool call that `canUseTool` decides about. */
export type CanUseToolContext = {
  /** Aborted when the CLI no longer waits for the answer. */
  signal: AbortSignal;
  toolUseID: string;
  requestId: string;
  /**
   * Return these as `updatedPermissions` to allow the tool always. Most of them write a settings
   * file.
   */
  suggestions?: PermissionUpdate[];
  /** The path because of which the CLI asks. */
  blockedPath?: string;
  /** Why the CLI asks. */
  decisionReason?: string;
  /** The kind of the reason, for example `hook`, `rule`, `workingDir` or `safetyCheck`. */
  decisionReasonType?: string;
  /** The question to the user as a sentence. */
  title?: string;
  displayName?: string;
  description?: string;
  /** The sub-agent that makes the call. */
  agentID?: string;
  /** The tool call that started the sub-agent. */
  parentToolUseID?: string;
  /** The CLI's id of the session that asks, so that one callback can serve many sessions. */
  sessionId?: string;
  /** The working directory of the session. */
  cwd?: string;
  mcpServer?: McpServerProvenance;
  /** The dialog should preselect "no", so that a stray key does not approve the call. */
  defaultToNo?: boolean;
  /** Do not offer "always", because the rule would allow more than this call. */
  suppressAlwaysAllowRule?: boolean;
  /** A person must decide each time, so do not answer from an earlier decision. */
  requiresUserInteraction?: boolean;
  /** As the CLI sends it. Observed: 2.1.325 sets it for ordinary questions too, so it forbids nothing. */
  serverPolicyAskOnly?: boolean;
  /** The user's `ask` rule that matched the call. */
  matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
};

/** A rule of the option `rules`. The first rule that matches a tool call decides it. */
export interface PolicyRule {
  /** Name of a tool, or a pattern in which `*` stands for any characters. */
  readonly tool: ToolName;
  /**
   * Arguments that a call must have for the rule to match, by name. In a text, `*` stands for any
   * characters.
   * @default any arguments
   */
  readonly input?: Readonly<Record<string, unknown>>;
  /**
   * `"ask"` means that `canUseTool` decides, while the process waits. `"defer"` ends the turn with
   * `stop: "tool_deferred"`, so that no process has to wait: a session that resumes this one, in any process,
   * asks its `canUseTool` about the call: see `Session.resumedTurn()`. The CLI keeps one deferred call for each
   * message of the main agent, so any other is denied. Needs Claude Code 2.1.89.
   */
  readonly decision: "allow" | "deny" | "ask" | "defer";
}
