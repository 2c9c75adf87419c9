import type { McpServerProvenance, PermissionResult, PermissionUpdate } from "../../wire/index.js";
import type { ToolName } from "../tools/builtin-tools.js";

/** Asked for every call that no rule and no mode decides; `null` leaves the question open. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolContext,
) => PermissionResult | null | Promise<PermissionResult | null>;

export type CanUseToolContext = {
  /** Aborted when the CLI no longer waits for the answer. */
  signal: AbortSignal;
  toolUseID: string;
  requestId: string;
  /** Handed back as `updatedPermissions` they mean "always"; most of them write a settings file. */
  suggestions?: PermissionUpdate[];
  blockedPath?: string;
  decisionReason?: string;
  /** The question as a sentence. */
  title?: string;
  displayName?: string;
  description?: string;
  agentID?: string;
  mcpServer?: McpServerProvenance;
  /** A stray key must not approve this. */
  defaultToNo?: boolean;
  /** Do not offer "always": the rule would grant more than this call. */
  suppressAlwaysAllowRule?: boolean;
  /** The rule of the user's that asks for a person. */
  matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
};

/** One line of an ordered policy: the first that fits a call decides it. */
export interface PolicyRule {
  /** A tool, or a pattern in which `*` stands for any characters. */
  readonly tool: ToolName;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly decision: "allow" | "deny" | "ask";
}
