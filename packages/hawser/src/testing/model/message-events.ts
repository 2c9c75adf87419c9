import type { AnswerBlock } from "./answer-block.js";
import type { MessageReply } from "./reply.js";

/** What the server adds to a reply: the model of the request, and unique ids. */
export interface Identity {
  readonly model: string;
  nextId(prefix: "msg" | "toolu"): string;
}

export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * The events of a streamed message. If the reply is not complete, its last block stays open, and only
 * the error event may follow.
 */
export function* messageEvents(reply: MessageReply, identity: Identity): Generator<ServerEvent> {
  const { usage, output } = usageOf(reply);
  const start = { ...frame(reply, identity), usage: { ...usage, output_tokens: 1 } };
  yield { type: "message_start", message: start };
  for (const [index, block] of reply.content.entries()) {
    yield { type: "content_block_start", index, content_block: opening(block, identity) };
    if (index === 0) yield { type: "ping" };
    for (const delta of deltas(block, reply.options.chunks)) {
      yield { type: "content_block_delta", index, delta };
    }
    const open = reply.ending !== "whole" && index === reply.content.length - 1;
    if (!open) yield { type: "content_block_stop", index };
  }
  if (typeof reply.ending === "object") yield { type: "error", error: reply.ending };
  if (reply.ending !== "whole") return;
  const delta = { stop_reason: stopReason(reply), stop_sequence: null };
  yield { type: "message_delta", delta, usage: { output_tokens: output } };
  yield { type: "message_stop" };
}

/** The whole message, for a request that did not ask for a stream. */
export function wholeMessage(reply: MessageReply, identity: Identity): Record<string, unknown> {
  return {
    ...frame(reply, identity),
    content: reply.content.map((block) =>
      block.type === "tool_use" ? { ...block, id: block.id ?? identity.nextId("toolu") } : block,
    ),
    stop_reason: stopReason(reply),
    usage: usageOf(reply).usage,
  };
}

export function encodeEvent(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function frame(reply: MessageReply, identity: Identity): Record<string, unknown> {
  return {
    id: reply.options.id ?? identity.nextId("msg"),
    type: "message",
    role: "assistant",
    model: reply.options.model ?? identity.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function usageOf(reply: MessageReply): { usage: Record<string, unknown>; output: number } {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 5,
    ...reply.options.usage,
  };
  return { usage, output: usage.output_tokens };
}

function stopReason(reply: MessageReply): string {
  const calls = reply.content.some((block) => block.type === "tool_use");
  return reply.options.stopReason ?? (calls ? "tool_use" : "end_turn");
}

function opening(block: AnswerBlock, identity: Identity): Record<string, unknown> {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redacted_thinking":
      return { ...block };
    case "tool_use":
      return {
        type: "tool_use",
        id: block.id ?? identity.nextId("toolu"),
        name: block.name,
        input: {},
      };
  }
}

function* deltas(block: AnswerBlock, chunks?: number): Generator<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      for (const text of pieces(block.text, chunks)) yield { type: "text_delta", text };
      return;
    case "thinking":
      for (const thinking of pieces(block.thinking, chunks)) {
        yield { type: "thinking_delta", thinking };
      }
      yield { type: "signature_delta", signature: block.signature };
      return;
    case "redacted_thinking":
      return;
    case "tool_use":
      for (const json of pieces(JSON.stringify(block.input), chunks)) {
        yield { type: "input_json_delta", partial_json: json };
      }
  }
}

const LARGEST_PIECE = 64 * 1024;

/** Cuts a text into `chunks` pieces of about the same length, never inside a surrogate pair. */
function* pieces(text: string, chunks?: number): Generator<string> {
  const count = Math.max(1, chunks ?? Math.ceil(text.length / LARGEST_PIECE));
  let from = 0;
  for (let n = 1; n <= count && from < text.length; n++) {
    let to = Math.max(from + 1, Math.round((text.length * n) / count));
    if (isLowSurrogate(text, to) && isHighSurrogate(text, to - 1)) to++;
    yield text.slice(from, to);
    from = to;
  }
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
