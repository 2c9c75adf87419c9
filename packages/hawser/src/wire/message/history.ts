import type { ContentBlock, OtherBlock } from "./content.js";

/**
 * Earlier messages of a conversation, the oldest first, as the Messages API takes them. The first one is of
 * the user. Messages of the same role that follow each other count as one message.
 */
export type History = readonly HistoryMessage[];

/**
 * One earlier message. A user message holds text, images, documents and tool results; an assistant message
 * holds text, thinking and tool calls.
 */
export interface HistoryMessage {
  readonly role: "user" | "assistant";
  readonly content: string | readonly (ContentBlock | OtherBlock)[];
}
