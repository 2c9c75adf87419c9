import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { toolCallOfApproval } from "./approval-id.js";
import type { WaitEnd } from "./parked-turns.js";

/** What the replay of a conversation needs to know. */
export interface ReplayFacts {
  /** The name under which the model sees a tool of the caller. */
  readonly shownName: (toolName: string) => string;
  /** How the wait for a tool call ended in this program. */
  readonly endOf: (toolCallId: string) => WaitEnd | undefined;
}

/**
 * The conversation of earlier requests as the main model had it: without the calls of sub-agents, with one call and one
 * result for each tool call. The AI SDK repeats the call of an approved tool in `generateText()`, and leaves the result
 * of a denied one out. A call without a result gets one that says what is known.
 *
 * Reasoning is left out: a round whose calls were shown one after the other is no longer the message that was signed.
 */
export function replayPrompt(
  prompt: LanguageModelV4Prompt,
  facts: ReplayFacts,
): LanguageModelV4Prompt {
  const decisions = decisionsOf(prompt);
  const answered = resultsOf(prompt);
  const ofSubAgents = subAgentCalls(prompt);
  const seen = new Set<string>();
  return prompt.flatMap((message): readonly LanguageModelV4Message[] => {
    if (message.role === "tool") {
      const content = message.content.filter(
        (part) => part.type === "tool-result" && !ofSubAgents.has(part.toolCallId),
      );
      return content.length === 0 ? [] : [{ ...message, content }];
    }
    if (message.role !== "assistant") return [message];
    const missing: LanguageModelV4ToolResultPart[] = [];
    const content = message.content.flatMap((part): readonly AssistantPart[] => {
      if (part.type === "reasoning") return [];
      if (part.type !== "tool-call" && part.type !== "tool-result") return [part];
      if (ofSubAgents.has(part.toolCallId)) return [];
      if (part.type === "tool-result") return [part];
      const { toolCallId, toolName } = part;
      if (seen.has(toolCallId)) return [];
      seen.add(toolCallId);
      if (!answered.has(toolCallId)) {
        const value = explain(decisions.get(toolCallId), facts.endOf(toolCallId));
        missing.push({
          type: "tool-result",
          toolCallId,
          toolName,
          output: { type: "error-text", value },
        });
      }
      return [{ ...part, toolName: facts.shownName(toolName) }];
    });
    const messages: LanguageModelV4Message[] =
      content.length === 0 ? [] : [{ ...message, content }];
    return missing.length === 0 ? messages : [...messages, { role: "tool", content: missing }];
  });
}

/** The ids of all tool calls of a conversation, those of sub-agents too. */
export function toolCallIds(prompt: LanguageModelV4Prompt): readonly string[] {
  return prompt.flatMap((message) => {
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
  });
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

interface Decision {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

function decisionsOf(prompt: LanguageModelV4Prompt): ReadonlyMap<string, Decision> {
  const decisions = new Map<string, Decision>();
  for (const message of prompt) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-approval-response") continue;
      const toolCallId = toolCallOfApproval(part.approvalId);
      if (toolCallId !== undefined) decisions.set(toolCallId, part);
    }
  }
  return decisions;
}

function resultsOf(prompt: LanguageModelV4Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of prompt) {
    if (message.role !== "assistant" && message.role !== "tool") continue;
    for (const part of message.content) if (part.type === "tool-result") ids.add(part.toolCallId);
  }
  return ids;
}

/** Calls of sub-agents were never part of the main conversation. The AI SDK gives their metadata back. */
function subAgentCalls(prompt: LanguageModelV4Prompt): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of prompt) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type !== "tool-call" && part.type !== "tool-result") continue;
      if ("parentToolCallId" in (part.providerOptions?.["hawser"] ?? {})) ids.add(part.toolCallId);
    }
  }
  return ids;
}

/** What the model is told of a call without a result. */
function explain(decision: Decision | undefined, end: WaitEnd | undefined): string {
  if (decision?.approved === false) {
    return decision.reason
      ? `The user denied this call: ${decision.reason}`
      : "The user denied this call.";
  }
  if (decision === undefined || (end !== undefined && end !== "answered")) {
    return decision === undefined
      ? "This call was not run, because it was not approved. If it is still needed, make it again."
      : "This call was not run: the approval came after the turn had ended. If it is still needed, make it again.";
  }
  return "This call has no result: the process that was to run it has ended. It may not have run. Check before you make it again.";
}
