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

/** Permission rules in the CLI's own words, such as `Bash(git *)`; deny beats ask beats allow. */
export interface PermissionRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}
