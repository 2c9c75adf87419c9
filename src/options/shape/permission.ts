import type { PermissionResult, PermissionUpdate } from "../../wire/index.js";

/** Asked for every call that no rule and no mode decides; `null` leaves the question open. */
export type CanUseTool = (
  toolName: string,
  input: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
) => PermissionResult | null | Promise<PermissionResult | null>;

export interface CanUseToolContext {
  /** Aborted when the CLI no longer waits for the answer. */
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly requestId: string;
  readonly suggestions?: readonly PermissionUpdate[];
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly agentID?: string;
  readonly mcpServer?: { readonly name: string; readonly source?: string };
}

/** One line of an ordered policy: the first that fits a call decides it. */
export interface PolicyRule {
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly decision: "allow" | "deny" | "ask";
}
