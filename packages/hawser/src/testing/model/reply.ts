import { type AnswerBlock, text } from "./answer-block.js";

/** A reply in a script: a string (a text answer), a block, a list of blocks, or a `Reply`. */
export type ReplyInput = string | AnswerBlock | readonly (string | AnswerBlock)[] | Reply;

/** A reply of the simulated model, as `reply()`, `apiError()`, `hang()` and so on create it. */
export type Reply = MessageReply | ErrorReply | NoReply;

/** The content of an answer: text, or one or several blocks. */
export type ReplyContent = string | AnswerBlock | readonly (string | AnswerBlock)[];

/** Why the model stopped, with the API's own names. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** Token counts with the API's own names. They are sent unchanged. */
export interface ReplyUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly [name: string]: unknown;
}

/** Options of `reply()` and of the other functions that create an answer. */
export interface ReplyOptions {
  /** @default "tool_use" if the content has a tool call, else "end_turn" */
  readonly stopReason?: StopReason;
  /** @default { input_tokens: 10, output_tokens: 5 } */
  readonly usage?: ReplyUsage;
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Milliseconds to wait before the first byte. To slow the text itself down, use `chunkDelayMs`.
   * @default 0
   */
  readonly delayMs?: number;
  /**
   * Number of deltas in which each block is streamed.
   * @default as few as possible, with at most 64 Ki characters each
   */
  readonly chunks?: number;
  /**
   * Milliseconds to wait between two deltas.
   * @default 0
   */
  readonly chunkDelayMs?: number;
  /**
   * Id of the message.
   * @default a unique id
   */
  readonly id?: string;
  /**
   * Model that the answer names.
   * @default the model of the request
   */
  readonly model?: string;
}

/** How a message ends: complete, cut off, never, or with an error event in the stream. */
export type Ending = "whole" | "cut" | "hang" | ApiErrorBody;

/** An error as the API reports it. */
export interface ApiErrorBody {
  readonly type: string;
  readonly message: string;
}

/** An answer, or the beginning of one. */
export interface MessageReply {
  readonly kind: "message";
  readonly content: readonly AnswerBlock[];
  readonly ending: Ending;
  readonly options: ReplyOptions;
}

/** An error response of the API. */
export interface ErrorReply {
  readonly kind: "error";
  readonly status: number;
  readonly error: ApiErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs: number;
}

/** A response without any byte. */
export interface NoReply {
  readonly kind: "none";
  readonly ending: "cut" | "hang";
}

/**
 * Creates an answer with options. Without options, the plain content does the same in a script.
 *
 * @example
 * ```ts
 * reply("Hello.", { usage: { output_tokens: 900 }, delayMs: 50 });
 * ```
 */
export function reply(content: ReplyContent, options: ReplyOptions = {}): MessageReply {
  return message(content, "whole", options);
}

/** An answer in which the model declines. The newest CLI asks once more before it gives up. */
export function refusal(content: ReplyContent = "", options: ReplyOptions = {}): MessageReply {
  return reply(content, { stopReason: "refusal", ...options });
}

/** An answer that reaches the output limit. The CLI asks the model up to three times to continue. */
export function maxTokens(content: ReplyContent, options: ReplyOptions = {}): MessageReply {
  return reply(content, { stopReason: "max_tokens", ...options });
}

/**
 * A response that does not end until the server closes. Without content, the server sends no byte; with
 * content, the answer stalls in the middle of its last block.
 */
export function hang(content?: ReplyContent, options: ReplyOptions = {}): Reply {
  return content === undefined
    ? { kind: "none", ending: "hang" }
    : message(content, "hang", options);
}

/**
 * A response whose connection is cut: before the first byte, or, with content, in the middle of the last
 * block.
 */
export function cut(content?: ReplyContent, options: ReplyOptions = {}): Reply {
  return content === undefined ? { kind: "none", ending: "cut" } : message(content, "cut", options);
}

/** An answer that begins, and whose stream then ends with an error event. */
export function streamError(
  type = "overloaded_error",
  options: ReplyOptions & { readonly message?: string; readonly after?: ReplyContent } = {},
): MessageReply {
  const { message: sentence = "Overloaded", after = [], ...rest } = options;
  return message(after, { type, message: sentence }, rest);
}

/** Turns an entry of a script into a reply. */
export function toReply(input: ReplyInput): Reply {
  return typeof input === "object" && "kind" in input ? input : reply(input);
}

function message(content: ReplyContent, ending: Ending, options: ReplyOptions): MessageReply {
  return { kind: "message", content: toBlocks(content), ending, options };
}

function toBlocks(content: ReplyContent): readonly AnswerBlock[] {
  if (typeof content === "string") return [text(content)];
  if ("type" in content) return [content];
  return content.map((block) => (typeof block === "string" ? text(block) : block));
}
