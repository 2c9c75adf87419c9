import { textOf } from "../../base/index.js";
import {
  type AssistantMessage,
  type ContentBlock,
  isMessage,
  isSystem,
  type Message,
  type RateLimitInfo,
  type ResultMessage,
  type StreamEvent,
  type SystemApiRetry,
  type ToolUseBlock,
  type UserMessage,
} from "../../wire/index.js";
import type { FailureContext } from "../result-outcome.js";
import { TextBuffer } from "./text-buffer.js";
import { WholeMessages } from "./whole-messages.js";

/** The state of one turn so far, folded from its messages. */
export class TurnRecord implements FailureContext {
  /** The answer as it comes: in pieces with partial messages, otherwise block by block. */
  readonly text: TextBuffer = new TextBuffer();
  readonly whole: WholeMessages = new WholeMessages();
  /** The tools that were called, by sub-agents too. */
  readonly toolsCalled: Set<string> = new Set();
  /**
   * Called for tool calls of the main thread: with true at the end of the streamed message that holds them,
   * with false for each call of a message that was not streamed.
   */
  onToolUse: ((isWhole: boolean) => void) | undefined;
  /** The tool calls of the newest message of the main thread. */
  #toolUses: ToolUse[] = [];
  /** The id of that message. */
  #toolMessage: string | undefined;
  readonly #runningTools = new Set<string>();
  readonly #streamed = new Set<string>();
  #streaming: string | undefined;
  /** The position in the text at which the streaming message begins. */
  #messageFrom = 0;
  /** The position at which the answer begins whose messages reached the limit of output tokens. */
  #partsFrom: number | undefined;
  #wasCut = false;
  #model: string | undefined;
  #apiError: string | undefined;
  #rateLimit: RateLimitInfo | undefined;
  #retryAfterMs: number | undefined;
  #lastMessage: Message | undefined;
  #givenOutput: unknown;
  #firstTokenAt: number | undefined;

  get toolUses(): readonly ToolUse[] {
    return this.#toolUses;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get apiError(): string | undefined {
    return this.#apiError;
  }

  get rateLimit(): RateLimitInfo | undefined {
    return this.#rateLimit;
  }

  get retryAfterMs(): number | undefined {
    return this.#retryAfterMs;
  }

  /** The last value that the model gave for a schema, also if the CLI refused it. */
  get givenOutput(): unknown {
    return this.#givenOutput;
  }

  get lastMessage(): Message | undefined {
    return this.#lastMessage;
  }

  /** By `performance.now()`. Messages of the CLI itself, which come before, do not count. */
  get firstTokenAt(): number | undefined {
    return this.#firstTokenAt;
  }

  /** Whether a tool runs, so that the silence of the model does not count. */
  get awaitsTool(): boolean {
    return this.#runningTools.size > 0;
  }

  /** The CLI runs this tool, or asks whether it may, though no message has told of the call. */
  awaitTool(toolUseId: string): void {
    this.#runningTools.add(toolUseId);
  }

  add(message: Message): void {
    if (isMessage(message, "stream_event")) {
      this.addEvents([message]);
      return;
    }
    this.#lastMessage = message;
    this.whole.add(message);
    if (isSystem(message, "init")) this.#model = message.model;
    if (isSystem(message, "api_retry")) {
      this.#retryAfterMs = requestedDelayMs(message) ?? this.#retryAfterMs;
    }
    if (isMessage(message, "rate_limit_event")) this.#rateLimit = message.rate_limit_info;
    if (isMessage(message, "assistant")) this.#addAnswer(message);
    if (isMessage(message, "user")) this.#addToolResults(message);
  }

  /** Adds stream events that arrived together. Most of them are pieces of text, which are added at once. */
  addEvents(events: readonly StreamEvent[]): void {
    this.#lastMessage = events.at(-1);
    this.#firstTokenAt ??= performance.now();
    this.#retryAfterMs = undefined;
    let text: string | undefined;
    for (const message of events) {
      const piece = textIn(message);
      if (piece !== undefined) text = text === undefined ? piece : text + piece;
      else {
        this.#addText(text);
        text = undefined;
        this.#addEvent(message);
      }
    }
    this.#addText(text);
  }

  /**
   * The text of the answer, from the CLI's result, or as far as it came. If the answer reached the limit
   * of output tokens and was continued, the CLI's result has only the last part. With a deferred call, the
   * text of the result is empty.
   */
  textOf(result: ResultMessage): string {
    const isDeferred = result.stop_reason === "tool_deferred";
    if (typeof result.result !== "string" || isDeferred) return this.text.text;
    const whole = this.#partsFrom === undefined ? "" : this.text.text.slice(this.#partsFrom);
    return whole.endsWith(result.result) ? whole : result.result;
  }

  #addText(text: string | undefined): void {
    if (text === undefined) return;
    if (this.#streaming !== undefined) this.#streamed.add(this.#streaming);
    this.text.add(text);
  }

  /** Adds any event but a piece of text. */
  #addEvent(message: StreamEvent): void {
    const { event, parent_tool_use_id } = message;
    const type = event?.type;
    if (type === "content_block_delta") return;
    this.whole.add(message);
    if (parent_tool_use_id !== null) return;
    if (type === "message_start") this.#start((event as Start).message?.id);
    else if (type === "message_delta") this.#stop((event as Delta).delta?.stop_reason);
    else if (type === "message_stop" && this.#toolUses.length > 0) this.onToolUse?.(true);
  }

  #start(id: string | undefined): void {
    if (!this.#wasCut) this.#partsFrom = undefined;
    this.#messageFrom = this.text.length;
    this.#streaming = id;
    this.#toolMessage = id;
    this.#toolUses = [];
  }

  #stop(reason: unknown): void {
    this.#wasCut = reason === "max_tokens";
    if (this.#wasCut) this.#partsFrom ??= this.#messageFrom;
  }

  #addAnswer({ message, error, parent_tool_use_id }: AssistantMessage): void {
    this.#firstTokenAt ??= performance.now();
    if (error !== undefined) {
      this.#apiError = error;
      return;
    }
    this.#retryAfterMs = undefined;
    const fresh = parent_tool_use_id === null && !this.#streamed.has(message?.id);
    for (const block of blocksOf(message)) {
      if (block.type === "tool_use" && typeof block.id === "string") {
        this.#runningTools.add(block.id);
        this.toolsCalled.add(textOf(block.name));
        if (block.name === "StructuredOutput") this.#givenOutput = block.input;
        if (parent_tool_use_id === null) this.#addToolUse(message.id, block);
      }
      if (fresh && block.type === "text" && typeof block.text === "string")
        this.text.add(block.text);
    }
  }

  #addToolUse(messageId: string, { id, name, input }: ToolUseBlock): void {
    // The CLI may give up a message that it streamed, and send the request again without a stream.
    if (messageId !== this.#toolMessage) this.#toolUses = [];
    this.#toolMessage = messageId;
    this.#toolUses.push({ id, name: textOf(name), input });
    if (messageId !== this.#streaming) this.onToolUse?.(false);
  }

  #addToolResults({ message }: UserMessage): void {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_result") this.#runningTools.delete(textOf(block.tool_use_id));
    }
  }
}

/** A tool call of the model. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The text that an event adds to the answer. The text of a sub-agent is not part of the answer. */
function textIn({ event, parent_tool_use_id }: StreamEvent): string | undefined {
  if (parent_tool_use_id !== null || event?.type !== "content_block_delta") return undefined;
  const text: unknown = (event as Delta).delta?.text;
  return typeof text === "string" ? text : undefined;
}

interface Start {
  readonly message?: { readonly id?: string };
}

interface Delta {
  readonly delta?: { readonly text?: unknown; readonly stop_reason?: unknown };
}

/**
 * How long the API asked the CLI to wait, if it did: the CLI's own pauses are half a second, doubled each
 * time, and up to a quarter more.
 */
export function requestedDelayMs({ attempt, retry_delay_ms }: SystemApiRetry): number | undefined {
  return retry_delay_ms > 640 * 2 ** (attempt - 1) ? retry_delay_ms : undefined;
}

/** The content blocks; none for a plain text or a malformed message. */
function blocksOf(
  message: { readonly content: string | readonly ContentBlock[] } | undefined,
): readonly ContentBlock[] {
  const content = message?.content;
  return Array.isArray(content) ? content.filter((block) => block instanceof Object) : [];
}
