import type { RedactedThinkingBlock, ThinkingBlock } from "hawser";

/** A block of the model's thinking. */
export type ThinkingContent = ThinkingBlock | RedactedThinkingBlock;

const PREFIX = "hawser1.";

/**
 * The `encrypted_content` of a reasoning item: the block of thinking with its signature, so that a client that keeps
 * the conversation itself can give the thinking back to the model. It is encoded and not encrypted. The API checks the
 * signature, so a client cannot make up thinking.
 */
export function encodeThinking(block: ThinkingContent): string {
  return PREFIX + Buffer.from(JSON.stringify(block)).toString("base64url");
}

/** The block of an `encrypted_content`; undefined if it is not one of this gateway. */
export function decodeThinking(content: string): ThinkingContent | undefined {
  if (!content.startsWith(PREFIX)) return undefined;
  try {
    const json = Buffer.from(content.slice(PREFIX.length), "base64url").toString("utf8");
    return thinkingContent(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function thinkingContent(value: unknown): ThinkingContent | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { type, thinking, signature, data } = value as Record<string, unknown>;
  if (type === "redacted_thinking" && typeof data === "string") return { type, data };
  if (type !== "thinking" || typeof thinking !== "string" || typeof signature !== "string") {
    return undefined;
  }
  return { type, thinking, signature };
}
