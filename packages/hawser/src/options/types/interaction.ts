import type { ElicitationResult } from "../../wire/index.js";

export type InteractionContext = {
  signal: AbortSignal;
  requestId: string;
};

/** What an MCP server asks of the person. */
export type Elicitation = {
  serverName: string;
  message: string;
  mode?: "form" | "url";
  /** To be opened; only in mode `url`. */
  url?: string;
  elicitationId?: string;
  /** What is to be filled in; only in mode `form`. */
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

/** Answers what an MCP server asks; `null` leaves the question open. */
export type OnElicitation = (
  request: Elicitation,
  options: InteractionContext,
) => Promise<ElicitationResult | null>;

/** A dialog that the CLI wants shown; only of the kinds in `supportedDialogKinds`. */
export type UserDialog = {
  dialogKind: string;
  payload: Record<string, unknown>;
  toolUseID?: string;
};

export type UserDialogResult =
  | { behavior: "completed"; result: unknown }
  | { behavior: "cancelled" };

/** Shows a dialog of the CLI; `null` cancels it. */
export type OnUserDialog = (
  request: UserDialog,
  options: InteractionContext,
) => Promise<UserDialogResult | null>;
