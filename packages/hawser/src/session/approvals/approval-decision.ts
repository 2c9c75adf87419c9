/**
 * The answer to a question of an `Approvals` object. The fields that fit depend on the `kind` of the
 * question:
 *
 * - `tool`: allow or deny
 * - `plan`: allow or deny
 * - `question`: answer or deny
 * - `elicitation`: accept, decline or cancel
 *
 * @example
 * ```ts
 * const once: ApprovalDecision = { behavior: "allow" };
 * const always: ApprovalDecision = { behavior: "allow", scope: "session" };
 * const no: ApprovalDecision = { behavior: "deny", message: "Use the staging server." };
 * const left: ApprovalDecision = { behavior: "answer", answers: { "Which way?": "Left" } };
 * const name: ApprovalDecision = { behavior: "accept", content: { name: "Ada" } };
 * ```
 */
export type ApprovalDecision =
  | AllowDecision
  | DenyDecision
  | AnswerDecision
  | AcceptDecision
  | DismissDecision;

/** Allows a tool call or a plan. */
export interface AllowDecision {
  readonly behavior: "allow";
  /** Replaces the whole input of the tool. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /**
   * `"session"` also allows what `sessionGrant` of the question says. A changed input can only be
   * allowed once, because the grant is made for the input of the model.
   * @default "once"
   */
  readonly scope?: "once" | "session";
}

/** Denies a tool call or a plan, or refuses to answer a question of the model. */
export interface DenyDecision {
  readonly behavior: "deny";
  /** What the model reads as the reason. */
  readonly message?: string;
  /** Also ends the turn. */
  readonly interrupt?: boolean;
}

/** Answers the questions of the tool AskUserQuestion. */
export interface AnswerDecision {
  readonly behavior: "answer";
  /** The answer to each question, by the text of the question: a label, several labels, or any text. */
  readonly answers: Readonly<Record<string, string | readonly string[]>>;
}

/** Answers the question of an MCP server. */
export interface AcceptDecision {
  readonly behavior: "accept";
  /** The fields of the form; absent in mode `url`. */
  readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
}

/** Does not answer the question of an MCP server: the user says no, or says nothing. */
export interface DismissDecision {
  readonly behavior: "decline" | "cancel";
}
