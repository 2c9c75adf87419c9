import type { ElicitationResult } from "../../wire/index.js";

/** The second parameter of `onElicitation` and `onUserDialog`. */
export type InteractionContext = {
  /** Aborted when the CLI no longer waits for the answer. */
  signal: AbortSignal;
  requestId: string;
  /** The CLI's id of the session that asks. */
  sessionId?: string;
};

/** A question that an MCP server asks the user. */
export type Elicitation = {
  serverName: string;
  /** The question. */
  message: string;
  mode?: "form" | "url";
  /** Address for the user to open; only in mode `url`. */
  url?: string;
  elicitationId?: string;
  /** JSON Schema of the form that the user fills in; only in mode `form`. */
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

/** Answers a question that an MCP server asks the user. `null` leaves the question open. */
export type OnElicitation = (
  request: Elicitation,
  options: InteractionContext,
) => Promise<ElicitationResult | null>;

/** A dialog for the user. The CLI sends only the kinds in `supportedDialogKinds`. */
export type UserDialog = {
  dialogKind: string;
  payload: Record<string, unknown>;
  toolUseID?: string;
};

/** What became of a dialog. */
export type UserDialogResult =
  | { behavior: "completed"; result: unknown }
  | { behavior: "cancelled" };

/** Shows a dialog of the CLI to the user. `null` cancels the dialog. */
export type OnUserDialog = (
  request: UserDialog,
  options: InteractionContext,
) => Promise<UserDialogResult | null>;
