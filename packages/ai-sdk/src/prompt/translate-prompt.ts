import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ContentBlock, HistoryMessage } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import { ConversationBuilder } from "./conversation-builder.js";
import { reasoningBlock } from "./reasoning-block.js";
import { toolResultContent } from "./tool-result-content.js";
import { userBlocks } from "./user-blocks.js";
import { withImages } from "./with-images.js";

/** A prompt of the AI SDK in the terms of the Messages API. */
export interface TranslatedPrompt {
  /** The system prompt; `undefined` if the prompt has none. */
  readonly system: string | undefined;
  /** The conversation. The last message is the user's. */
  readonly messages: readonly HistoryMessage[];
}

/**
 * Translates a prompt. What the Messages API cannot take is left out and reported in `warnings`. Throws
 * `InvalidPromptError` if there is nothing to answer, or if a tool result has no call.
 */
export function translatePrompt(
  prompt: LanguageModelV4Prompt,
  warnings: CallWarnings,
): TranslatedPrompt {
  const builder = new ConversationBuilder(prompt, warnings);
  for (const message of prompt) {
    if (message.role === "system") builder.addSystem(message.content);
    else if (message.role === "user") builder.addUser(userBlocks(message.content, warnings));
    else if (message.role === "assistant") addAssistant(builder, message.content, warnings);
    else addToolResults(builder, message.content, warnings);
  }
  return builder.build();
}

/**
 * The results of tools that the provider executed stand in the message of the assistant. In the Messages API they
 * belong to the user, so such a message becomes several.
 */
function addAssistant(
  builder: ConversationBuilder,
  content: AssistantContent,
  warnings: CallWarnings,
): void {
  for (const part of content) {
    switch (part.type) {
      case "text":
        builder.addAssistant({ type: "text", text: part.text });
        break;
      case "reasoning":
        addIfAny(builder, reasoningBlock(part, warnings));
        break;
      case "tool-call":
        // `generateText()` shows a call of an agent again in the step in which it runs.
        if (part.providerExecuted === true && builder.hasToolCall(part.toolCallId)) break;
        builder.addToolCall({ id: part.toolCallId, name: part.toolName, input: part.input });
        break;
      case "tool-result":
        builder.addToolResult(
          part.toolCallId,
          toolResultContent(withImages(part.output), warnings),
        );
        break;
      default:
        warnings.unsupported(
          `${part.type} part in an assistant message`,
          "The part was left out, because the model takes no such content from the assistant.",
        );
    }
  }
}

function addIfAny(builder: ConversationBuilder, block: ContentBlock | undefined): void {
  if (block !== undefined) builder.addAssistant(block);
}

function addToolResults(
  builder: ConversationBuilder,
  content: ToolContent,
  warnings: CallWarnings,
): void {
  for (const part of content) {
    // The decision itself is no message. A denied call also has a result that says so.
    if (part.type === "tool-approval-response") continue;
    builder.addToolResult(part.toolCallId, toolResultContent(part.output, warnings));
  }
}

type AssistantContent = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
type ToolContent = Extract<LanguageModelV4Message, { role: "tool" }>["content"];
