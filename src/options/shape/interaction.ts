import type { ElicitationResult } from "../../wire/index.js";

export interface InteractionContext {
  readonly signal: AbortSignal;
  readonly requestId: string;
}

/** What an MCP server asks of the person. */
export interface Elicitation {
  readonly serverName: string;
  readonly message: string;
  readonly mode?: "form" | "url";
  readonly url?: string;
  readonly elicitationId?: string;
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
}

export type OnElicitation = (
  request: Elicitation,
  context: InteractionContext,
) => Promise<ElicitationResult | null>;

/** A dialog that the CLI wants shown; only of the kinds in `supportedDialogKinds`. */
export interface UserDialog {
  readonly dialogKind: string;
  readonly [field: string]: unknown;
}

export type UserDialogResult =
  | { readonly behavior: "completed"; readonly result: unknown }
  | { readonly behavior: "cancelled" };

export type OnUserDialog = (
  request: UserDialog,
  context: InteractionContext,
) => Promise<UserDialogResult | null>;
