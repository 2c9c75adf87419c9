import { randomUUID } from "node:crypto";
import { HawserError } from "../base/index.js";
import {
  type ApiEvent,
  type AssistantBody,
  type ContentBlock,
  type ContentBlockDelta,
  isMessage,
  type Message,
  type Usage,
} from "../wire/index.js";
import type { AnswerEvent, BlockDelta } from "./answer.js";

/** How a message of the model ended. */
export interface MessageEnd {
  /** As the API names it. */
  readonly stopReason: string;
  readonly usage: Usage;
}

export interface MessageReaderOptions {
  /** Whether the client sees a block. */
  readonly shows: (block: ContentBlock) => boolean;
  /**
   * Whether the blocks of a message are kept until the message is whole. Then a message that breaks off can be
   * forgotten, and the CLI's next attempt takes its place.
   */
  readonly isHeld: boolean;
}

/**
 * Turns the messages of the CLI into the events of an answer. The blocks of all messages get the indices 0, 1,
 * 2 …; a message that was not streamed becomes events too.
 */
export class MessageReader {
  readonly #options: MessageReaderOptions;
  readonly #streamed = new Set<string>();
  /** The indices of the shown blocks of the streaming message, by their indices in that message. */
  readonly #open = new Map<number, number>();
  readonly #held: AnswerEvent[] = [];
  #isStarted = false;
  #nextIndex = 0;
  /** Where the blocks of the newest message begin. */
  #messageFrom = 0;
  /** The message that streams, until it is whole. */
  #partial: PartialMessage | undefined;
  /** The id of the message that was not streamed and comes block by block. */
  #wholeId: string | undefined;
  #end: MessageEnd | undefined;
  #usage: Usage | undefined;
  /** The tokens of the messages before the newest. */
  #earlier: Usage = { input_tokens: 0, output_tokens: 0 };
  /** The characters of the blocks since the newest message began. */
  #length = 0;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  /** How the newest whole message ended; undefined if it was not streamed, or if there is none. */
  get end(): MessageEnd | undefined {
    return this.#end;
  }

  /** Whether the model has begun to answer. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** The index of the next block that is shown. */
  get nextIndex(): number {
    return this.#nextIndex;
  }

  /** The tokens of all messages so far, as `usage` has them of the newest: an agent pays for each of its rounds. */
  get usageOfAll(): Usage | undefined {
    const { usage } = this;
    return usage && sumOf(this.#earlier, usage);
  }

  /**
   * The tokens of the newest message so far. The API counts the output only at the end of a message, so that
   * before the end it is an estimate: four characters are one token.
   */
  get usage(): Usage | undefined {
    if (this.#end !== undefined) return this.#end.usage;
    const estimate = Math.ceil(this.#length / 4);
    return (
      this.#usage && {
        ...this.#usage,
        output_tokens: Math.max(this.#usage.output_tokens, estimate),
      }
    );
  }

  /** The events of one message of the CLI. Throws if the CLI begins anew after a part was already shown. */
  *read(message: Message): Iterable<AnswerEvent> {
    if (isMessage(message, "stream_event")) {
      if (message.parent_tool_use_id === null) yield* this.#readEvent(message.event);
    } else if (isMessage(message, "assistant")) {
      const { message: body, parent_tool_use_id, error } = message;
      // A message with an error is the CLI's report of a failure. The call rejects because of it.
      if (parent_tool_use_id !== null || error !== undefined || body.model === "<synthetic>")
        return;
      if (!this.#streamed.has(body.id)) yield* this.#readWhole(body);
    } else if (message.type === "hawser" && message.subtype === "retrying") this.#forgetPartial();
  }

  *#readEvent(event: ApiEvent): Iterable<AnswerEvent> {
    if (event.type === "message_start") {
      const { id, model, usage } = event.message;
      this.#forgetPartial();
      this.#begin(usage);
      this.#partial = { id, stopReason: undefined };
      this.#streamed.add(id);
      yield* this.#start(model, usage);
    } else if (event.type === "content_block_start") {
      const { index, content_block: block } = event;
      if (!this.#options.shows(block)) return;
      const shown = this.#nextIndex++;
      this.#open.set(index, shown);
      yield* this.#show({ type: "block_start", index: shown, block });
    } else if (event.type === "content_block_delta") {
      const { index, delta } = event;
      const shown = this.#open.get(index);
      if (!isPassedOn(delta)) return;
      this.#length += sizeOf(delta);
      if (shown === undefined) return;
      yield* this.#show({ type: "block_delta", index: shown, delta });
    } else if (event.type === "content_block_stop") {
      const { index } = event;
      const shown = this.#open.get(index);
      this.#open.delete(index);
      if (shown !== undefined) yield* this.#show({ type: "block_stop", index: shown });
    } else if (event.type === "message_delta") {
      const { delta, usage } = event;
      // Observed: after an interrupt the CLI sends `null`, because the message was cut off.
      const stopReason = delta.stop_reason ?? undefined;
      if (this.#partial !== undefined) this.#partial.stopReason = stopReason;
      if (this.#usage !== undefined) this.#usage = { ...this.#usage, ...usage };
    } else if (event.type === "message_stop") yield* this.#stop();
  }

  /** The CLI also sends `message_stop` for a message that broke off, but without a stop reason before it. */
  *#stop(): Iterable<AnswerEvent> {
    const stopReason = this.#partial?.stopReason;
    if (stopReason === undefined || this.#usage === undefined) return;
    this.#partial = undefined;
    this.#end = { stopReason, usage: this.#usage };
    yield* this.#held.splice(0);
  }

  /** A block of a message that was not streamed, because the CLI repeated the request without streaming. */
  *#readWhole({ id, model, content, usage }: AssistantBody): Iterable<AnswerEvent> {
    if (this.#wholeId !== id) {
      this.#forgetPartial();
      this.#begin(usage);
      this.#wholeId = id;
    }
    yield* this.#start(model, usage);
    for (const block of content.filter(this.#options.shows)) {
      const index = this.#nextIndex++;
      this.#length += JSON.stringify(block).length;
      yield* blockEvents(index, block);
    }
  }

  #begin(usage: Usage): void {
    this.#earlier = this.usageOfAll ?? this.#earlier;
    this.#messageFrom = this.#nextIndex;
    this.#usage = usage;
    this.#end = undefined;
    this.#length = 0;
  }

  *#start(model: string, usage: Usage): Iterable<AnswerEvent> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    yield { type: "start", message: { id: messageId(), model, usage } };
  }

  *#show(event: AnswerEvent): Iterable<AnswerEvent> {
    if (this.#options.isHeld) this.#held.push(event);
    else yield event;
  }

  /** Nothing that the client has got can be taken back. */
  #forgetPartial(): void {
    if (this.#partial === undefined) return;
    this.#partial = undefined;
    this.#open.clear();
    this.#held.length = 0;
    if (this.#options.isHeld) this.#nextIndex = this.#messageFrom;
    else if (this.#nextIndex > this.#messageFrom) throw new HawserError("api_error", BROKEN_OFF);
  }
}

const BROKEN_OFF = "The answer of the model broke off after a part of it was sent.";

function sumOf(a: Usage, b: Usage): Usage {
  const cached = (usage: Usage) => usage.cache_creation_input_tokens ?? 0;
  const read = (usage: Usage) => usage.cache_read_input_tokens ?? 0;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: cached(a) + cached(b),
    cache_read_input_tokens: read(a) + read(b),
  };
}

/** The events of a whole block. */
export function* blockEvents(index: number, block: ContentBlock): Iterable<AnswerEvent> {
  yield { type: "block_start", index, block: emptied(block) };
  for (const delta of deltasOf(block)) yield { type: "block_delta", index, delta };
  yield { type: "block_stop", index };
}

export function messageId(): string {
  return `msg_${randomUUID().replaceAll("-", "")}`;
}

/** The block as it is at its start, before its deltas. */
function emptied(block: ContentBlock): ContentBlock {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  if (block.type === "tool_use") return { ...block, input: {} };
  return block;
}

function deltasOf(block: ContentBlock): readonly BlockDelta[] {
  if (block.type === "text") return [{ type: "text_delta", text: block.text }];
  if (block.type === "thinking") {
    const { thinking, signature } = block;
    return [
      { type: "thinking_delta", thinking },
      { type: "signature_delta", signature },
    ];
  }
  if (block.type !== "tool_use") return [];
  return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
}

function isPassedOn(delta: ApiDelta): delta is BlockDelta {
  return PASSED_ON.has(delta.type);
}

const PASSED_ON: ReadonlySet<string> = new Set<BlockDelta["type"]>([
  "text_delta",
  "thinking_delta",
  "signature_delta",
  "input_json_delta",
]);

function sizeOf(delta: BlockDelta): number {
  if (delta.type === "text_delta") return delta.text.length;
  if (delta.type === "thinking_delta") return delta.thinking.length;
  return delta.type === "input_json_delta" ? delta.partial_json.length : 0;
}

type ApiDelta = ContentBlockDelta["delta"];

interface PartialMessage {
  readonly id: string;
  stopReason: string | undefined;
}
