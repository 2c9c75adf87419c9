import { objectOf, omitUndefined, oneLine } from "../../base/index.js";
import {
  type CanUseToolContext,
  callLine,
  type Elicitation,
  type InteractionContext,
} from "../../options/index.js";
import { currentFolder } from "../../process/index.js";
import type {
  Approval,
  ApprovalFacts,
  ElicitationApproval,
  ToolCallFacts,
  UserQuestion,
} from "./approval.js";
import { fileDiff } from "./file-diff.js";
import { sessionGrant } from "./session-grant.js";

/** The id and the times of a question. */
export type ApprovalFrame = Pick<ApprovalFacts, "id" | "askedAt" | "expiresAt">;

/**
 * A tool call that needs approval, from what `canUseTool` gets: plain data that shares no object with the
 * request of the CLI. For programs that keep questions in a place of their own.
 */
export function describeCall(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  context: CanUseToolContext,
  frame: ApprovalFrame,
): Approval {
  const input = structuredClone(given);
  const facts: ToolCallFacts = {
    ...frame,
    summary: callLine(tool, input, LONGEST_SUMMARY),
    tool,
    input,
    toolUseId: context.toolUseID,
    ...omitUndefined({
      sessionId: context.sessionId,
      agentId: context.agentID,
      parentToolUseId: context.parentToolUseID,
      reason: context.decisionReason,
      reasonType: context.decisionReasonType,
    }),
  };
  if (tool === "AskUserQuestion") {
    const questions = questionsIn(input["questions"]);
    const summary = oneLine(questions.map(({ question }) => question).join(" "), LONGEST_SUMMARY);
    return { ...facts, kind: "question", summary, questions };
  }
  if (tool === "ExitPlanMode") {
    const plan = typeof input["plan"] === "string" ? input["plan"] : "";
    return { ...facts, kind: "plan", summary: oneLine(`Plan: ${plan}`, LONGEST_SUMMARY), plan };
  }
  return {
    ...facts,
    kind: "tool",
    suggestions: structuredClone(context.suggestions ?? []),
    ...omitUndefined({
      diff: fileDiff(tool, input, context.cwd ?? currentFolder()),
      sessionGrant: structuredClone(sessionGrant(tool, input, context)),
      title: context.title,
      description: context.description,
      blockedPath: context.blockedPath,
      mcpServer: context.mcpServer,
      defaultToNo: context.defaultToNo,
    }),
  };
}

/** A question of an MCP server, from what `onElicitation` gets. */
export function describeElicitation(
  request: Elicitation,
  { sessionId }: InteractionContext,
  frame: ApprovalFrame,
): ElicitationApproval {
  const { serverName, message, mode = "form", url, elicitationId, requestedSchema } = request;
  return {
    ...frame,
    kind: "elicitation",
    summary: oneLine(`${serverName}: ${message}`, LONGEST_SUMMARY),
    server: serverName,
    message,
    mode,
    ...omitUndefined({
      sessionId,
      url,
      elicitationId,
      requestedSchema: structuredClone(requestedSchema),
    }),
  };
}

/** The questions as far as they can be read: the model writes them. */
function questionsIn(value: unknown): UserQuestion[] {
  const list = Array.isArray(value) ? value.map(objectOf) : [];
  return list.flatMap(({ question, header, options, multiSelect }) => {
    if (typeof question !== "string") return [];
    const title = typeof header === "string" ? { header } : {};
    return [{ question, ...title, options: optionsIn(options), multiSelect: multiSelect === true }];
  });
}

function optionsIn(value: unknown): UserQuestion["options"] {
  const list = Array.isArray(value) ? value.map(objectOf) : [];
  return list.flatMap(({ label, description }) => {
    if (typeof label !== "string") return [];
    return [typeof description === "string" ? { label, description } : { label }];
  });
}

/** In columns of a screen. */
const LONGEST_SUMMARY = 200;
