import type {
  LanguageModelV4Prompt,
  LanguageModelV4ToolApprovalResponsePart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { toolCallOfApproval } from "./approval-id.js";

/** What a request brings for a turn that waits. */
export interface Answers {
  readonly approvals: readonly LanguageModelV4ToolApprovalResponsePart[];
  readonly results: readonly LanguageModelV4ToolResultPart[];
  /** The ids that the answers name: of approval requests, and of tool calls. */
  readonly waitIds: readonly string[];
}

/** The answers of a request: they are its last message, if that is a message of tools. */
export function readAnswers(prompt: LanguageModelV4Prompt): Answers {
  const last = prompt.at(-1);
  const content = last?.role === "tool" ? last.content : [];
  const approvals = content.filter((part) => part.type === "tool-approval-response");
  const decided = new Set(approvals.map(({ approvalId }) => toolCallOfApproval(approvalId)));
  // For a denied call the AI SDK adds a result, which says nothing more than the denial.
  const results = content
    .filter((part) => part.type === "tool-result")
    .filter(
      ({ toolCallId, output }) => output.type !== "execution-denied" || !decided.has(toolCallId),
    );
  const waitIds = [
    ...approvals.map(({ approvalId }) => approvalId),
    ...results.map(({ toolCallId }) => toolCallId),
  ];
  return { approvals, results, waitIds };
}
