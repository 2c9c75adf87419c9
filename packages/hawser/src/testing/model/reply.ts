import { type AnswerBlock, text } from "./answer-block.js";

/** What a script may hold for one request: a string is a text answer, a list is several blocks. */
export type ReplyInput = string | AnswerBlock | readonly (string | AnswerBlock)[] | Reply;

/** One reply of the simulated model. Made by `reply()`, `apiError()`, `hang()` and the others. */
export type Reply = MessageReply | ErrorReply | NoReply;

/** The content of an answer: text, or one or several blocks. */
export type ReplyContent = string | AnswerBlock | readonly (string | AnswerBlock)[];

export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded";

/** Token counts with the API's own names, sent as they are. */
export interface ReplyUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly [name: string]: unknown;
}

/** How an answer comes. */
export interface ReplyOptions {
  /** `tool_use` when there is a tool call among the content, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** 10 tokens in and 5 out, unless given. */
  readonly usage?: ReplyUsage;
  readonly headers?: Readonly<Record<string, string>>;
  /** Wait this long before the first byte. */
  readonly delayMs?: number;
  /** How many deltas each block is streamed in. By default as few as fit, 64 Ki characters each. */
  readonly chunks?: number;
  /** Wait this long between two deltas. */
  readonly chunkDelayMs?: number;
  /** The message's id; unique when it is not given. */
  readonly id?: string;
  /** The model that the answer names; the one that was asked for when it is not given. */
  readonly model?: string;
}

/** How a message ends: whole, cut off, never, or with an error event in the stream. */
export type Ending = "whole" | "cut" | "hang" | ApiErrorBody;

/** An error in the API's words. */
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

/** A refusal of the API. */
export interface ErrorReply {
  readonly kind: "error";
  readonly status: number;
  readonly error: ApiErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  readonly delayMs: number;
}

/** No byte at all. */
export interface NoReply {
  readonly kind: "none";
  readonly ending: "cut" | "hang";
}

/** An answer with options: `reply("Hi", { usage: { output_tokens: 900 } })`. */
export function reply(content: ReplyContent, options: ReplyOptions = {}): MessageReply {
  return message(content, "whole", options);
}

/** The model declines. The newest CLI asks once more before it gives up. */
export function refusal(content: ReplyContent = "", options: ReplyOptions = {}): MessageReply {
  return reply(content, { stopReason: "refusal", ...options });
}

/** The answer reaches the output limit. The CLI asks the model to go on, three times. */
export function maxTokens(content: ReplyContent, options: ReplyOptions = {}): MessageReply {
  return reply(content, { stopReason: "max_tokens", ...options });
}

/**
 * No end comes until the server closes. Without content there is no byte at all; with content the
 * answer stalls in the middle of its last block.
 */
export function hang(content?: ReplyContent, options: ReplyOptions = {}): Reply {
  return content === undefined
    ? { kind: "none", ending: "hang" }
    : message(content, "hang", options);
}

/** As `hang()`, but the connection is cut there. */
export function cut(content?: ReplyContent, options: ReplyOptions = {}): Reply {
  return content === undefined ? { kind: "none", ending: "cut" } : message(content, "cut", options);
}

/** The answer begins, then the stream carries an error event and ends. */
export function streamError(
  type = "overloaded_error",
  options: ReplyOptions & { readonly message?: string; readonly after?: ReplyContent } = {},
): MessageReply {
  const { message: sentence = "Overloaded", after = [], ...rest } = options;
  return message(after, { type, message: sentence }, rest);
}

/** The reply that an entry of a script stands for. */
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
