import type { AnswerEnd, AnswerEvent, StopReason } from "hawser/answer";
import { tokenCounts } from "../token-counts.js";
import { customText, type ToolSet } from "../tool-set.js";

/** The whole answer of `POST /v1/chat/completions`. */
export interface ChatCompletion extends Head<"chat.completion"> {
  readonly choices: readonly [
    {
      readonly index: 0;
      readonly message: ChatAnswerMessage;
      readonly logprobs: null;
      readonly finish_reason: FinishReason;
    },
  ];
  readonly usage: ChatUsage;
}

/** One `data:` line of a streamed answer. */
export interface ChatCompletionChunk extends Head<"chat.completion.chunk"> {
  readonly choices: readonly ChunkChoice[];
  readonly usage?: ChatUsage | null;
}

interface Head<T extends string> {
  readonly id: string;
  readonly object: T;
  readonly created: number;
  readonly model: string;
}

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

interface ChunkChoice {
  readonly index: 0;
  readonly delta: ChatDelta;
  readonly logprobs: null;
  readonly finish_reason: FinishReason | null;
}

/**
 * A piece of the message. `reasoning_content` is the model's thinking: OpenAI's own API has no field for it, and
 * this name is the one that clients of compatible servers read.
 */
interface ChatDelta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly refusal?: null;
  readonly tool_calls?: readonly (Partial<ChatToolCall> & { readonly index: number })[];
}

interface ChatAnswerMessage {
  readonly role: "assistant";
  readonly content: string | null;
  readonly refusal: null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
}

interface ChatToolCall {
  readonly id: string;
  readonly type: "function" | "custom";
  readonly function?: { readonly name?: string; readonly arguments: string };
  readonly custom?: { readonly name?: string; readonly input: string };
}

export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: {
    readonly cached_tokens: number;
    readonly cache_write_tokens: number;
  };
  readonly completion_tokens_details?: { readonly reasoning_tokens: number };
  /** In US dollars. OpenAI's own API does not have this field. */
  readonly cost?: number;
}

export interface ChatAnswerOptions {
  readonly toolSet: ToolSet;
  /** Whether there is a last chunk with the usage. The other chunks then have `usage: null`. */
  readonly includesUsage: boolean;
  /** When the answer began, in seconds since 1970. */
  readonly created: number;
}

/** Turns the events of an answer into chunks, and keeps what the whole answer needs. */
export class ChatAnswer {
  readonly #options: ChatAnswerOptions;
  readonly #texts: string[] = [];
  readonly #thinking: string[] = [];
  readonly #calls: OpenCall[] = [];
  #head: { readonly id: string; readonly model: string } = { id: "", model: "" };
  /** Stands before the next piece of text. */
  #separator = "";
  #call: OpenCall | undefined;
  #end: AnswerEnd | undefined;

  constructor(options: ChatAnswerOptions) {
    this.#options = options;
  }

  /** The chunks for an event, in order. */
  push(event: AnswerEvent): readonly ChatCompletionChunk[] {
    switch (event.type) {
      case "start": {
        const { id, model } = event.message;
        this.#head = { id: `chatcmpl-${id.replace(/^msg_/, "")}`, model };
        return [this.#chunk({ role: "assistant", content: "", refusal: null })];
      }
      case "block_start":
        return this.#blockStart(event.block);
      case "block_delta":
        return this.#blockDelta(event.delta);
      case "block_stop":
        return this.#blockStop();
      case "end":
        this.#end = event.end;
        return this.#last(event.end);
    }
  }

  /** The whole answer, after its `end`. */
  completion(): ChatCompletion {
    const end = this.#end;
    if (end === undefined) throw new Error("The answer has not ended.");
    const content = this.#texts.join("");
    const message: ChatAnswerMessage = {
      role: "assistant",
      content: content === "" && this.#calls.length > 0 ? null : content,
      refusal: null,
      ...(this.#thinking.length === 0 ? {} : { reasoning_content: this.#thinking.join("") }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls.map(wholeCall) }),
    };
    const finish_reason = finishReason(end.stopReason);
    return {
      ...this.#headOf("chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage: chatUsage(end),
    };
  }

  #blockStart(
    block: Extract<AnswerEvent, { type: "block_start" }>["block"],
  ): readonly ChatCompletionChunk[] {
    if (block.type === "text") {
      // The format has room for one text. An agent's answer has several.
      this.#separator = this.#texts.length === 0 ? "" : "\n\n";
      return this.#text(block.text);
    }
    if (block.type === "thinking") return this.#think(String(block.thinking));
    if (block.type !== "tool_use") return [];
    const { id, name, input } = block;
    const index = this.#calls.length;
    const isCustom = this.#options.toolSet.isCustom(String(name));
    const call = { index, id: String(id), name: String(name), isCustom, input, json: "" };
    this.#calls.push(call);
    this.#call = call;
    const begun = isCustom
      ? { custom: { name: call.name, input: "" } }
      : { function: { name: call.name, arguments: "" } };
    return [
      this.#callChunk(call, { id: call.id, type: isCustom ? "custom" : "function", ...begun }),
    ];
  }

  #blockDelta(
    delta: Extract<AnswerEvent, { type: "block_delta" }>["delta"],
  ): readonly ChatCompletionChunk[] {
    if (delta.type === "text_delta") return this.#text(delta.text);
    if (delta.type === "thinking_delta") return this.#think(delta.thinking);
    const call = this.#call;
    if (delta.type !== "input_json_delta" || call === undefined || delta.partial_json === "")
      return [];
    call.json += delta.partial_json;
    // The text of a custom tool is known when its JSON is complete.
    if (call.isCustom) return [];
    return [this.#callChunk(call, { function: { arguments: delta.partial_json } })];
  }

  #blockStop(): readonly ChatCompletionChunk[] {
    const call = this.#call;
    this.#call = undefined;
    if (call === undefined) return [];
    const wasStreamed = call.json !== "";
    if (!wasStreamed) call.json = JSON.stringify(call.input ?? {});
    if (call.isCustom) return [this.#callChunk(call, { custom: { input: customText(call.json) } })];
    return wasStreamed ? [] : [this.#callChunk(call, { function: { arguments: call.json } })];
  }

  #last(end: AnswerEnd): readonly ChatCompletionChunk[] {
    const last = this.#chunk({}, finishReason(end.stopReason));
    if (!this.#options.includesUsage) return [last];
    return [last, { ...this.#headOf("chat.completion.chunk"), choices: [], usage: chatUsage(end) }];
  }

  #text(text: string): readonly ChatCompletionChunk[] {
    if (text === "") return [];
    const content = this.#separator + text;
    this.#separator = "";
    this.#texts.push(content);
    return [this.#chunk({ content })];
  }

  #think(text: string): readonly ChatCompletionChunk[] {
    if (text === "") return [];
    this.#thinking.push(text);
    return [this.#chunk({ reasoning_content: text })];
  }

  #callChunk({ index }: OpenCall, call: Partial<ChatToolCall>): ChatCompletionChunk {
    return this.#chunk({ tool_calls: [{ index, ...call }] });
  }

  #chunk(delta: ChatDelta, finish_reason: FinishReason | null = null): ChatCompletionChunk {
    return {
      ...this.#headOf("chat.completion.chunk"),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(this.#options.includesUsage ? { usage: null } : {}),
    };
  }

  #headOf<T extends string>(object: T): Head<T> {
    const { id, model } = this.#head;
    return { id, object, created: this.#options.created, model };
  }
}

/** A tool call whose input arrives. */
interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly isCustom: boolean;
  /** What the block began with: the whole input, if it was not streamed. */
  readonly input: unknown;
  json: string;
}

function wholeCall({ id, name, isCustom, json }: OpenCall): ChatToolCall {
  if (isCustom) return { id, type: "custom", custom: { name, input: customText(json) } };
  return { id, type: "function", function: { name, arguments: json } };
}

function finishReason(stopReason: StopReason): FinishReason {
  return FINISH_REASONS[stopReason];
}

const FINISH_REASONS: Readonly<Record<StopReason, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  // An agent has reached its limit of rounds or dollars.
  pause_turn: "length",
  refusal: "content_filter",
};

function chatUsage({ usage, costUsd }: AnswerEnd): ChatUsage {
  const { input, output, total, cacheRead, cacheWrite, reasoning } = tokenCounts(usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning } }),
    ...(costUsd === undefined ? {} : { cost: costUsd }),
  };
}
