import type { JsonObject, UnknownWord } from "../open.js";

/** A prompt: plain text, or blocks of text, images and documents. */
export type Prompt = string | readonly (ContentBlock | OtherBlock)[];

/** A block of a prompt that is sent as it is, because the API may know more kinds than this library. */
export interface OtherBlock {
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * A block of the Messages API. `block.type === "text"` narrows to one kind; a kind that is not listed here is
 * handed on as it came, as `UnknownBlock`.
 */
export type ContentBlock =
  | TextBlock
  | ImageBlock
  | DocumentBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | UnknownBlock;

/** The known kinds of content block, by type. */
export interface ContentBlocks {
  text: TextBlock;
  image: ImageBlock;
  document: DocumentBlock;
  thinking: ThinkingBlock;
  redacted_thinking: RedactedThinkingBlock;
  tool_use: ToolUseBlock;
  tool_result: ToolResultBlock;
}

/**
 * Whether a block has this type; the same as `block.type === type`, as a function for `filter()`.
 *
 * @example
 * ```ts
 * const uses = message.message.content.filter((block) => isBlock(block, "tool_use"));
 * ```
 */
export function isBlock<T extends keyof ContentBlocks>(
  block: ContentBlock,
  type: T,
): block is ContentBlocks[T] {
  return block.type === type;
}

/** Text. */
export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  readonly citations?: readonly unknown[] | null;
  readonly cache_control?: JsonObject | null;
}

/** An image. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: MediaSource;
  readonly cache_control?: JsonObject | null;
}

/** A document, such as a PDF. */
export interface DocumentBlock {
  readonly type: "document";
  readonly source: MediaSource;
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: JsonObject | null;
  readonly cache_control?: JsonObject | null;
}

/** Where the data of an image or document comes from. */
export type MediaSource =
  | { readonly type: "base64"; readonly media_type: string; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "text"; readonly media_type: "text/plain"; readonly data: string }
  | { readonly type: "file"; readonly file_id: string };

/** What the model thought before it answered. */
export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

/** Thinking that the API returns encrypted. */
export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A tool call of the model. */
export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The result of a tool call. */
export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}

/** A block of a kind that hawser does not describe. */
export interface UnknownBlock {
  readonly type: UnknownWord;
  readonly [field: string]: unknown;
}
