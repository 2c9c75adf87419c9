import type { McpServerProvenance, PermissionUpdate } from "../../wire/index.js";
import type { FileDiff } from "./file-diff.js";

/**
 * A question that waits for an answer. It is plain data: `JSON.stringify()` keeps all of it, so it can be
 * sent to another process or to a web page.
 *
 * @example
 * ```ts
 * function show(approval: Approval): string {
 *   if (approval.kind === "tool") return `${approval.summary} (${approval.reason ?? "no reason"})`;
 *   if (approval.kind === "plan") return approval.plan;
 *   return approval.summary;
 * }
 * ```
 */
export type Approval = ToolApproval | QuestionApproval | PlanApproval | ElicitationApproval;

/** What all questions of an `Approvals` object have. */
export interface ApprovalFacts {
  /** The id for `answer()`. */
  readonly id: string;
  /** The question on one line, without control characters. */
  readonly summary: string;
  /** The CLI's id of the session that asks. */
  readonly sessionId?: string;
  /** When the question was asked, as an ISO 8601 time. */
  readonly askedAt: string;
  /** When the question expires, as an ISO 8601 time; absent without `ttlMs`. */
  readonly expiresAt?: string;
}

/** What all questions have that the CLI asks because of a tool call. */
export interface ToolCallFacts extends ApprovalFacts {
  /** The name of the tool. */
  readonly tool: string;
  /** The whole input of the tool call. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId: string;
  /** The sub-agent that makes the call; absent if the main agent makes it. */
  readonly agentId?: string;
  /** The tool call that started the sub-agent. */
  readonly parentToolUseId?: string;
  /** Why the CLI asks. */
  readonly reason?: string;
  /** The kind of the reason, for example `hook`, `rule`, `workingDir` or `safetyCheck`. */
  readonly reasonType?: string;
}

/** A tool call that needs approval. */
export interface ToolApproval extends ToolCallFacts {
  readonly kind: "tool";
  /** What the call changes in its file, for Edit, Write, MultiEdit and NotebookEdit. */
  readonly diff?: FileDiff;
  /** The changes of the permission rules that the CLI suggests, all limited to this session. */
  readonly suggestions: readonly PermissionUpdate[];
  /** What `scope: "session"` allows; absent if the call can only be allowed once. */
  readonly sessionGrant?: SessionGrant;
  /** The question as a sentence of the CLI. */
  readonly title?: string;
  /** What the model says about the call. It proves nothing. */
  readonly description?: string;
  /** The path because of which the CLI asks. */
  readonly blockedPath?: string;
  /** The MCP server of the tool. */
  readonly mcpServer?: McpServerProvenance;
  /** A dialog should preselect "no", so that a stray key does not allow the call. */
  readonly defaultToNo?: boolean;
}

/** What `scope: "session"` allows, beside the call itself. */
export interface SessionGrant {
  /** The rules that the CLI gets for this session, as the CLI suggested them. Can be empty. */
  readonly updates: readonly PermissionUpdate[];
  /**
   * The calls that are allowed without a question even if the CLI asks again, for example because of a
   * hook: calls of the same tool whose input has the same values in the fields that count. For a tool that
   * reads or edits a file this is its path, for WebFetch the address. For a tool that runs commands these
   * are all fields except the description and the time limit, so a call with a further field is not
   * covered. An empty object means every call of the tool.
   */
  readonly input: Readonly<Record<string, unknown>>;
}

/** The model asks with the tool AskUserQuestion. */
export interface QuestionApproval extends ToolCallFacts {
  readonly kind: "question";
  readonly questions: readonly UserQuestion[];
}

/** One question of the tool AskUserQuestion. */
export interface UserQuestion {
  /** The text of the question. An answer names the question by this text. */
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  /** Whether more than one option can be chosen. */
  readonly multiSelect: boolean;
}

/** The model has made a plan, and asks with the tool ExitPlanMode to carry it out. */
export interface PlanApproval extends ToolCallFacts {
  readonly kind: "plan";
  /** The text of the plan. */
  readonly plan: string;
}

/** An MCP server asks the user. */
export interface ElicitationApproval extends ApprovalFacts {
  readonly kind: "elicitation";
  /** The name of the MCP server. */
  readonly server: string;
  /** The question. */
  readonly message: string;
  readonly mode: "form" | "url";
  /** The address for the user to open; only in mode `url`. */
  readonly url?: string;
  readonly elicitationId?: string;
  /** The JSON Schema of the form; only in mode `form`. */
  readonly requestedSchema?: Readonly<Record<string, unknown>>;
}
