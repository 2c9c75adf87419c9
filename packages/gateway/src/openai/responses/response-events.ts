import type { AnswerEnd, AnswerEvent, BlockDelta } from "hawser/answer";
import { openaiErrorBody } from "../../errors/openai-error.js";
import type { Problem } from "../../errors/problem.js";
import { customText, type ToolSet } from "../tool-set.js";
import { encodeThinking, type ThinkingContent } from "./encrypted-thinking.js";
import { itemId } from "./response-ids.js";
import type { ResponseItem } from "./response-item.js";
import {
  type OutputItem,
  type OutputPart,
  type ResponseFailure,
  type ResponseObject,
  responseUsage,
} from "./response-object.js";

/** An event of a streamed response. */
export interface ResponseEvent {
  readonly type: string;
  readonly sequence_number: number;
  readonly [field: string]: unknown;
}

export interface ResponseEventsOptions {
  readonly toolSet: ToolSet;
  readonly showsSummary: boolean;
  readonly showsEncryptedThinking: boolean;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * Turns the events of an answer into events of the Responses API, and keeps the response as it is so far. Each block
 * of the answer becomes one item: a text a message, a tool call a function call, and thinking a reasoning item.
 */
export class ResponseEvents {
  readonly #options: ResponseEventsOptions;
  #response: ResponseObject;
  /** The items of the answer, with all of the thinking. */
  readonly #items: ResponseItem[] = [];
  #open: OpenItem | undefined;
  #sequence = 0;

  /** `response` is the response without an answer. */
  constructor(response: ResponseObject, options: ResponseEventsOptions) {
    this.#response = response;
    this.#options = options;
  }

  /** The response so far. */
  get response(): ResponseObject {
    return this.#response;
  }

  /** The items of the answer, for a later request. Items that are not complete are left out. */
  get items(): readonly ResponseItem[] {
    return this.#items;
  }

  /** The events for an event of the answer, in order. */
  *push(event: AnswerEvent): Generator<ResponseEvent, void, undefined> {
    switch (event.type) {
      case "start":
        this.#response = { ...this.#response, model: event.message.model };
        yield this.#lifecycle("response.created");
        yield this.#lifecycle("response.in_progress");
        break;
      case "block_start":
        yield* this.#blockStart(event.block);
        break;
      case "block_delta":
        yield* this.#blockDelta(event.delta);
        break;
      case "block_stop":
        yield* this.#blockStop();
        break;
      case "end":
        yield* this.#end(event.end);
        break;
    }
  }

  /**
   * The last events of an answer that failed. `response.failed` alone would not make OpenAI's client throw, so the
   * event `error` follows.
   */
  *fail(problem: Problem): Generator<ResponseEvent, void, undefined> {
    const { status, message } = problem;
    if (this.#sequence === 0) yield this.#lifecycle("response.created");
    this.#response = { ...this.#response, status: "failed", error: failure(status, message) };
    yield this.#lifecycle("response.failed");
    const { error } = openaiErrorBody(problem);
    const { code, param } = error;
    yield this.#event("error", { code, message, param, error });
  }

  /** The last events of an answer that was cancelled. The API has no event of its own for this. */
  *cancel(): Generator<ResponseEvent, void, undefined> {
    if (this.#sequence === 0) yield this.#lifecycle("response.created");
    this.#response = { ...this.#response, status: "cancelled" };
    yield this.#lifecycle("response.incomplete");
  }

  *#blockStart(
    block: Extract<AnswerEvent, { type: "block_start" }>["block"],
  ): Generator<ResponseEvent> {
    const { id, output } = this.#response;
    const place = String(output.length);
    switch (block.type) {
      case "text": {
        const item = { kind: "message", id: itemId("msg", id, place), text: "" } as const;
        yield* this.#openItem({ ...item });
        const part = outputText("");
        yield this.#itemEvent("response.content_part.added", { content_index: 0, part });
        yield* this.#text(String(block.text));
        break;
      }
      case "thinking":
      case "redacted_thinking": {
        const redacted = block.type === "redacted_thinking" ? String(block.data) : undefined;
        const item = {
          kind: "reasoning",
          id: itemId("rs", id, place),
          signature: "",
          redacted,
        } as const;
        yield* this.#openItem({ ...item, text: "" });
        if (block.type === "thinking") yield* this.#thinking(String(block.thinking));
        break;
      }
      case "tool_use": {
        const { toolSet } = this.#options;
        const modelName = String(block.name);
        const tool = toolSet.clientName(modelName);
        const isCustom = toolSet.isCustom(modelName);
        const kind = isCustom ? "custom_tool_call" : "function_call";
        const ids = { id: itemId(isCustom ? "ctc" : "fc", id, place), callId: String(block.id) };
        yield* this.#openItem({ kind, ...ids, tool, input: block.input, text: "" });
        break;
      }
      default:
      // The Responses API has no item for other blocks.
    }
  }

  *#blockDelta(delta: BlockDelta): Generator<ResponseEvent> {
    const item = this.#open;
    if (delta.type === "text_delta") yield* this.#text(delta.text);
    else if (delta.type === "thinking_delta") yield* this.#thinking(delta.thinking);
    else if (delta.type === "signature_delta") {
      if (item?.kind === "reasoning") item.signature = delta.signature;
    } else if (item !== undefined && delta.partial_json !== "") {
      item.text += delta.partial_json;
      // The text of a custom tool is known when its JSON is complete.
      if (item.kind !== "function_call") return;
      yield this.#itemEvent("response.function_call_arguments.delta", {
        delta: delta.partial_json,
      });
    }
  }

  *#blockStop(): Generator<ResponseEvent> {
    const item = this.#open;
    if (item === undefined) return;
    yield* this.#closeParts(item);
    const done = this.#wireItem(item, "completed");
    this.#response = { ...this.#response, output: [...this.#response.output.slice(0, -1), done] };
    this.#items.push(item.kind === "reasoning" ? { ...done, ...encrypted(item) } : done);
    yield this.#event("response.output_item.done", { output_index: this.#index, item: done });
    this.#open = undefined;
  }

  *#closeParts(item: OpenItem): Generator<ResponseEvent> {
    switch (item.kind) {
      case "message": {
        const fields = { content_index: 0, text: item.text, logprobs: [] };
        yield this.#itemEvent("response.output_text.done", fields);
        const part = outputText(item.text);
        yield this.#itemEvent("response.content_part.done", { content_index: 0, part });
        break;
      }
      case "function_call": {
        if (item.text === "") {
          // The input was not streamed.
          item.text = JSON.stringify(item.input ?? {});
          yield this.#itemEvent("response.function_call_arguments.delta", { delta: item.text });
        }
        const fields = { arguments: item.text, name: item.tool.name };
        yield this.#itemEvent("response.function_call_arguments.done", fields);
        break;
      }
      case "custom_tool_call": {
        item.text = customText(item.text === "" ? JSON.stringify(item.input ?? {}) : item.text);
        yield this.#itemEvent("response.custom_tool_call_input.delta", { delta: item.text });
        yield this.#itemEvent("response.custom_tool_call_input.done", { input: item.text });
        break;
      }
      case "reasoning": {
        if (!this.#showsText(item)) break;
        const fields = { summary_index: 0, text: item.text };
        yield this.#itemEvent("response.reasoning_summary_text.done", fields);
        const part = { type: "summary_text", text: item.text };
        yield this.#itemEvent("response.reasoning_summary_part.done", { summary_index: 0, part });
      }
    }
  }

  *#end(end: AnswerEnd): Generator<ResponseEvent> {
    if (end.stopReason === "refusal") yield* this.#refusal();
    const isIncomplete = end.stopReason === "max_tokens" || end.stopReason === "pause_turn";
    this.#response = {
      ...this.#response,
      status: isIncomplete ? "incomplete" : "completed",
      completed_at: isIncomplete ? null : this.#options.now(),
      incomplete_details: isIncomplete ? { reason: "max_output_tokens" } : null,
      usage: responseUsage(end.usage, end.costUsd),
    };
    yield this.#lifecycle(isIncomplete ? "response.incomplete" : "response.completed");
  }

  *#refusal(): Generator<ResponseEvent> {
    const { id, output } = this.#response;
    const refusal = "The model refused to answer.";
    const part = { type: "refusal", refusal } as const;
    const item = {
      type: "message",
      id: itemId("msg", id, String(output.length)),
      role: "assistant",
    } as const;
    const at = { item_id: item.id, output_index: output.length, content_index: 0 };
    yield this.#event("response.output_item.added", {
      output_index: output.length,
      item: { ...item, status: "in_progress", content: [] },
    });
    yield this.#event("response.content_part.added", { ...at, part: { ...part, refusal: "" } });
    yield this.#event("response.refusal.delta", { ...at, delta: refusal });
    yield this.#event("response.refusal.done", { ...at, refusal });
    yield this.#event("response.content_part.done", { ...at, part });
    const done = { ...item, status: "completed", content: [part] } as const;
    this.#response = { ...this.#response, output: [...output, done] };
    this.#items.push(done);
    yield this.#event("response.output_item.done", { output_index: output.length, item: done });
  }

  *#text(text: string): Generator<ResponseEvent> {
    const item = this.#open;
    if (text === "" || item?.kind !== "message") return;
    item.text += text;
    const fields = { content_index: 0, delta: text, logprobs: [] };
    yield this.#itemEvent("response.output_text.delta", fields);
  }

  *#thinking(text: string): Generator<ResponseEvent> {
    const item = this.#open;
    if (text === "" || item?.kind !== "reasoning") return;
    const isFirst = item.text === "";
    item.text += text;
    if (!this.#options.showsSummary) return;
    if (isFirst) {
      const part = { type: "summary_text", text: "" };
      yield this.#itemEvent("response.reasoning_summary_part.added", { summary_index: 0, part });
    }
    const fields = { summary_index: 0, delta: text };
    yield this.#itemEvent("response.reasoning_summary_text.delta", fields);
  }

  *#openItem(item: OpenItem): Generator<ResponseEvent> {
    this.#open = item;
    const begun = this.#wireItem(item, "in_progress");
    this.#response = { ...this.#response, output: [...this.#response.output, begun] };
    yield this.#event("response.output_item.added", { output_index: this.#index, item: begun });
  }

  #wireItem(item: OpenItem, status: "in_progress" | "completed"): OutputItem {
    const { id } = item;
    const isDone = status === "completed";
    switch (item.kind) {
      case "message": {
        const content = isDone ? [outputText(item.text)] : [];
        return { type: "message", id, status, role: "assistant", content };
      }
      case "function_call": {
        const { callId: call_id, tool, text } = item;
        const input = isDone ? text : "";
        return { type: "function_call", id, status, call_id, ...tool, arguments: input };
      }
      case "custom_tool_call": {
        const { callId: call_id, tool, text } = item;
        const input = isDone ? text : "";
        return { type: "custom_tool_call", id, status, call_id, ...tool, input };
      }
      case "reasoning": {
        const isShown = isDone && this.#showsText(item);
        const summary = isShown ? [{ type: "summary_text", text: item.text } as const] : [];
        const thinking = isDone && this.#options.showsEncryptedThinking ? encrypted(item) : {};
        return { type: "reasoning", id, status, summary, ...thinking };
      }
    }
  }

  #showsText({ text }: OpenItem): boolean {
    return this.#options.showsSummary && text !== "";
  }

  /** The place of the last item. */
  get #index(): number {
    return this.#response.output.length - 1;
  }

  #itemEvent(type: string, fields: Readonly<Record<string, unknown>>): ResponseEvent {
    return this.#event(type, { item_id: this.#open?.id, output_index: this.#index, ...fields });
  }

  #lifecycle(type: string): ResponseEvent {
    return this.#event(type, { response: this.#response });
  }

  #event(type: string, fields: Readonly<Record<string, unknown>>): ResponseEvent {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    return { type, sequence_number, ...fields };
  }
}

/** An item whose block arrives. `text` is its text, its thinking or its JSON so far. */
type OpenItem =
  | { readonly kind: "message"; readonly id: string; text: string }
  | {
      readonly kind: "reasoning";
      readonly id: string;
      readonly redacted: string | undefined;
      signature: string;
      text: string;
    }
  | {
      readonly kind: "function_call" | "custom_tool_call";
      readonly id: string;
      readonly callId: string;
      readonly tool: { readonly name: string; readonly namespace?: string };
      /** What the block began with: the whole input, if it was not streamed. */
      readonly input: unknown;
      text: string;
    };

function failure(status: number, message: string): ResponseFailure {
  if (status === 429) return { code: "rate_limit_exceeded", message };
  return { code: status < 500 ? "invalid_prompt" : "server_error", message };
}

function outputText(text: string): OutputPart {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function encrypted(item: Extract<OpenItem, { kind: "reasoning" }>): { encrypted_content: string } {
  const { redacted, text, signature } = item;
  const block: ThinkingContent =
    redacted === undefined
      ? { type: "thinking", thinking: text, signature }
      : { type: "redacted_thinking", data: redacted };
  return { encrypted_content: encodeThinking(block) };
}
