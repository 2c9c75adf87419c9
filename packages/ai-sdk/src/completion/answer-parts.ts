import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ContentBlock } from "hawser";
import type { AnswerEnd, AnswerEvent, BlockDelta, MessageReader } from "hawser/answer";
import { providerMetadata } from "../provider-metadata.js";
import { toUsage } from "../usage.js";
import { finishReason } from "./finish-reason.js";

/** Turns the events of an answer into stream parts of the AI SDK. The index of a block is the id of its part. */
export class AnswerParts {
  readonly #reader: Pick<MessageReader, "usage">;
  readonly #open = new Map<number, OpenBlock>();

  /** `reader` knows the tokens of an answer that fails. */
  constructor(reader: Pick<MessageReader, "usage">) {
    this.#reader = reader;
  }

  /** The parts of one event. */
  *of(event: AnswerEvent): Iterable<LanguageModelV4StreamPart> {
    if (event.type === "start") {
      const { id, model: modelId } = event.message;
      yield { type: "response-metadata", id, modelId, timestamp: new Date() };
    } else if (event.type === "block_start") yield* this.#start(event.index, event.block);
    else if (event.type === "block_delta") yield* this.#delta(event.index, event.delta);
    else if (event.type === "block_stop") yield* this.#stop(event.index);
    else yield this.#finish(event.end);
  }

  /** The end of an answer that fails: the open parts are closed, but a tool call that is not whole is not made. */
  *failure(error: unknown, raw: string | undefined): Iterable<LanguageModelV4StreamPart> {
    for (const [index, block] of this.#open) yield endPart(String(index), block);
    this.#open.clear();
    yield { type: "error", error };
    const usage = toUsage(this.#reader.usage);
    yield { type: "finish", finishReason: { unified: "error", raw }, usage };
  }

  *#start(index: number, block: ContentBlock): Iterable<LanguageModelV4StreamPart> {
    const id = String(index);
    if (block.type === "text") {
      this.#open.set(index, { type: "text", pieces: [] });
      yield { type: "text-start", id };
    } else if (block.type === "thinking") {
      this.#open.set(index, { type: "reasoning", pieces: [] });
      yield { type: "reasoning-start", id };
    } else if (block.type === "redacted_thinking") {
      const metadata = hawserMetadata({ redactedData: String(block.data) });
      this.#open.set(index, { type: "reasoning", pieces: [], metadata });
      yield { type: "reasoning-start", id, providerMetadata: metadata };
    } else if (block.type === "tool_use") {
      const { id: callId, name: toolName } = block as { id: string; name: string };
      this.#open.set(index, { type: "tool", pieces: [], callId, toolName });
      yield { type: "tool-input-start", id: callId, toolName };
    }
  }

  *#delta(index: number, delta: BlockDelta): Iterable<LanguageModelV4StreamPart> {
    const id = String(index);
    const block = this.#open.get(index);
    if (block === undefined) return;
    if (delta.type === "signature_delta") {
      const { signature } = delta;
      if (block.type === "reasoning") block.metadata = hawserMetadata({ signature });
      return;
    }
    const piece = pieceOf(delta);
    if (piece === "") return;
    block.pieces.push(piece);
    if (block.type === "tool") yield { type: "tool-input-delta", id: block.callId, delta: piece };
    else yield { type: `${block.type}-delta`, id, delta: piece };
  }

  *#stop(index: number): Iterable<LanguageModelV4StreamPart> {
    const block = this.#open.get(index);
    if (block === undefined) return;
    this.#open.delete(index);
    if (block.type !== "tool") {
      yield endPart(String(index), block);
      return;
    }
    const { callId: toolCallId, toolName } = block;
    const text = block.pieces.join("");
    // A call without input has no deltas, or empty ones.
    const input = text.trim() === "" ? "{}" : text;
    if (block.pieces.length === 0) yield { type: "tool-input-delta", id: toolCallId, delta: input };
    yield { type: "tool-input-end", id: toolCallId };
    yield { type: "tool-call", toolCallId, toolName, input };
  }

  #finish(end: AnswerEnd): LanguageModelV4StreamPart {
    const { stopReason, stopSequence, usage, completion } = end;
    // Without a completion the usage is what the reader knows. It is all zero if the reader knows nothing.
    const known = completion === undefined ? this.#reader.usage : usage;
    const facts = completion ?? {};
    const metadata = providerMetadata(facts);
    return {
      type: "finish",
      finishReason: finishReason(stopReason),
      usage: toUsage(known),
      providerMetadata:
        stopSequence === undefined ? metadata : { hawser: { ...metadata["hawser"], stopSequence } },
    };
  }
}

function endPart(id: string, block: OpenBlock): LanguageModelV4StreamPart {
  if (block.type === "text") return { type: "text-end", id };
  if (block.type === "tool") return { type: "tool-input-end", id: block.callId };
  const { metadata } = block;
  return {
    type: "reasoning-end",
    id,
    ...(metadata === undefined ? {} : { providerMetadata: metadata }),
  };
}

function pieceOf(delta: Exclude<BlockDelta, { type: "signature_delta" }>): string {
  if (delta.type === "text_delta") return delta.text;
  return delta.type === "thinking_delta" ? delta.thinking : delta.partial_json;
}

function hawserMetadata(facts: Record<string, string>): SharedV4ProviderMetadata {
  return { hawser: facts };
}

/** A block whose end has not come yet. */
type OpenBlock = OpenText | OpenToolCall;

interface OpenText {
  readonly type: "text" | "reasoning";
  readonly pieces: string[];
  metadata?: SharedV4ProviderMetadata;
}

interface OpenToolCall {
  readonly type: "tool";
  readonly pieces: string[];
  readonly callId: string;
  readonly toolName: string;
}
