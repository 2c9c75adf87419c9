import { copyContent } from "./copy-content.js";
import type { ContentBlock, OtherBlock } from "./message/content.js";
import type { History, HistoryMessage } from "./message/history.js";

/** A message whose content is a list of blocks. */
export interface JoinedMessage {
  readonly role: HistoryMessage["role"];
  readonly content: readonly (ContentBlock | OtherBlock)[];
}

/**
 * The messages with their content as blocks. Messages of one role that follow each other become one message,
 * as in the Messages API: the CLI would join them too, but with a line break between their texts. Text blocks
 * without text are left out, because the API refuses them and the CLI drops some of them. The blocks are copies,
 * because the caller may change its own while the messages wait.
 */
export function joinMessages(messages: History): readonly JoinedMessage[] {
  const joined: { role: JoinedMessage["role"]; content: (ContentBlock | OtherBlock)[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = copyContent(blocksOf(content).filter((block) => !saysNothing(block)));
    const last = joined.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else joined.push({ role, content: blocks });
  }
  return joined;
}

/** Whether a block is text without a visible character. */
export function saysNothing(block: ContentBlock | OtherBlock): boolean {
  return block.type === "text" && typeof block.text === "string" && block.text.trim() === "";
}

function blocksOf(content: HistoryMessage["content"]): JoinedMessage["content"] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
