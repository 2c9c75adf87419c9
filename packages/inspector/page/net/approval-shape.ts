import type { JsonObject } from "../base/json.js";

/** A question as the native API gives it. The fields are those of `Approval` of `hawser`. */
export interface ShownApproval {
  readonly id: string;
  readonly kind: "tool" | "question" | "plan" | "elicitation";
  readonly summary: string;
  readonly askedAt: string;
  readonly expiresAt?: string;
  readonly sessionId?: string;
  /** The API's id of the session. */
  readonly session?: string;
  readonly tenant?: string;
  /** The run of a fleet that asks. */
  readonly run?: string;
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly toolUseId?: string;
  readonly agentId?: string;
  readonly parentToolUseId?: string;
  readonly reason?: string;
  readonly title?: string;
  readonly description?: string;
  readonly blockedPath?: string;
  readonly mcpServer?: unknown;
  readonly defaultToNo?: boolean;
  readonly diff?: ShownDiff;
  readonly sessionGrant?: { readonly updates: readonly unknown[]; readonly input: JsonObject };
  readonly questions?: readonly UserQuestion[];
  readonly plan?: string;
  readonly server?: string;
  readonly message?: string;
  readonly mode?: "form" | "url";
  readonly url?: string;
  readonly requestedSchema?: JsonObject;
  /** The paths of values that were cut or masked. */
  readonly cut?: readonly string[];
}

export interface ShownDiff {
  readonly path: string;
  readonly file: string;
  readonly applies: boolean;
  readonly lines: readonly { readonly sign: string; readonly text: string }[];
  readonly omitted: number;
}

export interface UserQuestion {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect: boolean;
}

/** How a question ended, and who answered it. */
export interface ShownRecord {
  readonly id: string;
  readonly kind: string;
  readonly outcome: string;
  readonly decision?: {
    readonly behavior: string;
    readonly scope?: string;
    readonly message?: string;
    readonly interrupt?: boolean;
  };
  readonly by?: string;
  readonly edited?: boolean;
  readonly summary: string;
  readonly tool?: string;
  readonly sessionId?: string;
  readonly askedAt: string;
  readonly settledAt: string;
}

/** What `/approvals/events` sends. */
export type ApprovalChange =
  | { readonly type: "begin" }
  | { readonly type: "asked"; readonly approval: ShownApproval }
  | { readonly type: string; readonly id: string; readonly record: ShownRecord };
