import {
  type ApiEvent,
  type AssistantBody,
  type AssistantMessage,
  type ContentBlock,
  isMessage,
  type Message,
  type Usage,
  type UserMessage,
} from "hawser";
import type {
  HostCallEvent,
  QuestionEvent,
  ToolCallEvent,
  ToolResultEvent,
  TurnEvent,
} from "./turn-event.js";

/**
 * Translates the messages of a turn to events. It needs the raw events of the model (`includePartialMessages`). A message
 * of the model that the CLI did not stream is translated as a whole.
 */
export class MessageTranslator {
  readonly #hostName: (shown: string) => string | undefined;
  /** Messages of the main model of which events arrived. */
  readonly #streamed = new Set<string>();
  /** The name of each tool that was called. */
  readonly #names = new Map<string, string>();
  readonly #open = new Map<number, OpenBlock>();
  #round: Round | undefined;
  /** The message that arrives as whole blocks, without events. */
  #wholeId: string | undefined;
  #parts = 0;

  constructor(hostName: (shown: string) => string | undefined) {
    this.#hostName = hostName;
  }

  /** Whether the main model is in the middle of a message. */
  get isInRound(): boolean {
    return this.#round !== undefined;
  }

  /** Whether the call of this tool was translated. */
  knows(toolCallId: string): boolean {
    return this.#names.has(toolCallId);
  }

  /** The tool call of a question or a host call whose message did not arrive; undefined if the call is known. */
  announce(waiting: QuestionEvent | HostCallEvent): ToolCallEvent | undefined {
    const call = waiting.type === "question" ? waiting.approval : waiting;
    if ("kind" in call && call.kind === "elicitation") return undefined;
    const id = "kind" in call ? call.toolUseId : call.id;
    if (this.#names.has(id)) return undefined;
    const name = "kind" in call ? call.tool : call.name;
    const hostName = "kind" in call ? this.#hostName(name) : name;
    const parentId = "kind" in call ? call.parentToolUseId : undefined;
    this.#names.set(id, name);
    return { type: "tool_call", id, name, hostName, input: call.input, parentId };
  }

  *translate(message: Message): Iterable<TurnEvent> {
    if (isMessage(message, "stream_event")) {
      if (message.parent_tool_use_id === null) yield* this.#event(message.event);
    } else if (isMessage(message, "assistant")) yield* this.#assistant(message);
    else if (isMessage(message, "user")) yield* this.#user(message);
    else yield { type: "message", message };
  }

  /** Ends the parts that are open, because no more messages come. */
  *end(): Iterable<TurnEvent> {
    yield* this.#endParts();
    this.#round = undefined;
  }

  *#event(event: ApiEvent): Iterable<TurnEvent> {
    if (event.type === "message_start") {
      const { id, model, usage } = event.message;
      // The CLI repeats a request that broke off. What was shown of it cannot be taken back.
      yield* this.#endParts();
      this.#streamed.add(id);
      this.#round = { messageId: id, stopReason: undefined, usage };
      yield { type: "round_start", messageId: id, model };
    } else if (event.type === "content_block_start") {
      yield* this.#start(event.index, event.content_block);
    } else if (event.type === "content_block_delta") {
      const block = this.#open.get(event.index);
      if (block === undefined) return;
      const { id } = block;
      const { delta } = event;
      if (delta.type === "text_delta") yield { type: "text_delta", id, text: delta.text };
      else if (delta.type === "thinking_delta") {
        yield { type: "reasoning_delta", id, text: delta.thinking };
      } else if (delta.type === "signature_delta") block.signature = delta.signature;
      else if (delta.type === "input_json_delta") {
        yield { type: "tool_input_delta", id, json: delta.partial_json };
      }
    } else if (event.type === "content_block_stop") yield* this.#stop(event.index);
    else if (event.type === "message_delta") {
      if (this.#round === undefined) return;
      this.#round.stopReason = event.delta.stop_reason ?? "end_turn";
      this.#round.usage = { ...this.#round.usage, ...event.usage };
    } else if (event.type === "message_stop") {
      const round = this.#round;
      // The CLI also sends `message_stop` for a message that broke off, but without a stop reason before it.
      if (round?.stopReason === undefined) return;
      yield* this.#endParts();
      this.#round = undefined;
      yield { type: "round_end", ...round };
    }
  }

  *#start(index: number, block: ContentBlock): Iterable<TurnEvent> {
    if (block.type === "tool_use") {
      const { id, name } = block;
      this.#open.set(index, { kind: "input", id, signature: undefined });
      yield { type: "tool_input_start", id, name, hostName: this.#hostName(name) };
      return;
    }
    this.#parts += 1;
    const id = `part_${this.#parts}`;
    if (block.type === "text") {
      this.#open.set(index, { kind: "text", id, signature: undefined });
      yield { type: "text_start", id };
    } else if (block.type === "thinking") {
      this.#open.set(index, { kind: "reasoning", id, signature: undefined });
      yield { type: "reasoning_start", id };
    } else if (block.type === "redacted_thinking") {
      yield { type: "reasoning_start", id, redacted: block.data };
      yield { type: "reasoning_end", id };
    }
  }

  *#stop(index: number): Iterable<TurnEvent> {
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (block === undefined) return;
    const { id, kind, signature } = block;
    if (kind === "text") yield { type: "text_end", id };
    else if (kind === "input") yield { type: "tool_input_end", id };
    else yield { type: "reasoning_end", id, ...(signature === undefined ? {} : { signature }) };
  }

  *#endParts(): Iterable<TurnEvent> {
    for (const index of [...this.#open.keys()]) yield* this.#stop(index);
  }

  *#assistant(message: AssistantMessage): Iterable<TurnEvent> {
    const { message: body, parent_tool_use_id: parent, error } = message;
    if (parent !== null) {
      for (const block of body.content) yield* this.#call(block, parent);
      return;
    }
    // A message with an error is the CLI's report of a failure, which the outcome of the turn tells.
    if (error !== undefined || body.model === "<synthetic>") return;
    if (this.#streamed.has(body.id)) for (const block of body.content) yield* this.#call(block);
    else yield* this.#whole(body);
  }

  /** A call whose input is complete. The CLI sends it before the end of its block. */
  *#call(block: ContentBlock, parentId?: string): Iterable<TurnEvent> {
    if (block.type !== "tool_use") return;
    const { id, name, input } = block;
    for (const [index, open] of this.#open) {
      if (open.kind === "input" && open.id === id) yield* this.#stop(index);
    }
    if (this.#names.has(id)) return;
    this.#names.set(id, name);
    yield { type: "tool_call", id, name, hostName: this.#hostName(name), input, parentId };
  }

  /** A block of a message that was not streamed, because the CLI repeated the request without streaming. */
  *#whole({ id: messageId, model, content, usage }: AssistantBody): Iterable<TurnEvent> {
    yield* this.#endParts();
    this.#round = undefined;
    if (this.#wholeId !== messageId) {
      this.#wholeId = messageId;
      yield { type: "round_start", messageId, model };
      yield { type: "round_end", messageId, stopReason: undefined, usage };
    }
    for (const [index, block] of content.entries()) {
      if (block.type === "tool_use") yield* this.#call(block);
      else yield* this.#wholeBlock(index, block);
    }
  }

  *#wholeBlock(index: number, block: ContentBlock): Iterable<TurnEvent> {
    yield* this.#start(index, block);
    const open = this.#open.get(index);
    if (open === undefined) return;
    if (block.type === "text") yield { type: "text_delta", id: open.id, text: block.text };
    if (block.type === "thinking") {
      open.signature = block.signature;
      yield { type: "reasoning_delta", id: open.id, text: block.thinking };
    }
    yield* this.#stop(index);
  }

  *#user(message: UserMessage): Iterable<TurnEvent> {
    const { content } = message.message;
    if (message.isReplay === true || typeof content === "string") return;
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const id = block.tool_use_id;
      const name = this.#names.get(id);
      // The result of a call that the turn did not make belongs to an earlier turn.
      if (name === undefined) continue;
      const meta = message.tool_result_meta?.find((each) => each.id === id);
      const result: ToolResultEvent = {
        type: "tool_result",
        id,
        name,
        hostName: this.#hostName(name),
        content: block.content ?? "",
        isError: block.is_error === true,
        notRun: meta?.non_execution_kind,
        parentId: message.parent_tool_use_id ?? undefined,
      };
      yield result;
    }
  }
}

interface OpenBlock {
  readonly kind: "text" | "reasoning" | "input";
  readonly id: string;
  signature: string | undefined;
}

interface Round {
  readonly messageId: string;
  stopReason: string | undefined;
  usage: Usage;
}
