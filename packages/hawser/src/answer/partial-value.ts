import { isDeepStrictEqual } from "node:util";
import { HawserError } from "../base/index.js";
import type { ContentBlock } from "../wire/index.js";
import type { AnswerEvent } from "./answer.js";
import { CLI_GOES_ON, completedEnd, endOf, stopReasonOf } from "./answer-ends.js";
import type { AnsweringCall } from "./answering-call.js";
import { blockEvents, type MessageReader, messageId } from "./message-reader.js";
import type { ModelRequest } from "./model-request.js";

/**
 * Shows the value of a schema as a text while the model writes it. The CLI checks the value when it is whole. What
 * was shown cannot be taken back: if the model must correct the value, this throws `structured_output`.
 */
export async function* answerByPartialValue(
  call: AnsweringCall,
  { allowsParallelCalls }: ModelRequest,
  reader: MessageReader,
): AsyncGenerator<AnswerEvent, undefined> {
  const value = new PartialValue();
  for await (const message of call) {
    const before = reader.end;
    for (const event of reader.read(message)) yield* value.show(event);
    const { end } = reader;
    if (end === undefined || end === before) continue;
    if (!value.isShown || !CLI_GOES_ON.has(end.stopReason)) continue;
    yield endOf(stopReasonOf(end.stopReason), end.usage);
    return;
  }
  const completion = await call.completion;
  const { stop, content, usage, model = "" } = completion;
  if (!reader.isStarted) yield { type: "start", message: { id: messageId(), model, usage } };
  const isToolCall = stop === "tool_calls";
  if (value.isShown && !isToolCall) value.refuseOther(completion.value);
  else {
    const accepted = { type: "text", text: JSON.stringify(completion.value) } as const;
    let index = reader.nextIndex;
    for (const block of isToolCall ? callBlocks(content, allowsParallelCalls) : [accepted]) {
      yield* blockEvents(index, block);
      index += 1;
    }
  }
  yield completedEnd(isToolCall ? "tool_use" : "end_turn", completion);
}

/** Whether a block is shown while the model writes it: the value, and the thinking before it. */
export function isPartOfValue(block: ContentBlock): boolean {
  return isThinking(block) || isValue(block);
}

/** The text of a value that is being written. */
class PartialValue {
  #index: number | undefined;
  #text = "";

  get isShown(): boolean {
    return this.#index !== undefined;
  }

  /** The event as it is shown. Throws if the model writes the value a second time. */
  *show(event: AnswerEvent): Iterable<AnswerEvent> {
    if (event.type === "block_start" && isValue(event.block)) {
      if (this.isShown) throw this.#rejected();
      this.#index = event.index;
      yield { ...event, block: { type: "text", text: "" } };
    } else if (event.type === "block_delta" && event.index === this.#index) {
      if (event.delta.type === "input_json_delta") yield this.#add(event.delta.partial_json);
    } else if (event.type === "block_stop" && event.index === this.#index) {
      // A value without properties has no deltas, or empty ones.
      if (this.#text.trim() === "") yield this.#add("{}");
      yield event;
    } else yield event;
  }

  /** Throws if another value was accepted than the one that was shown. */
  refuseOther(accepted: unknown): void {
    if (!isDeepStrictEqual(parsed(this.#text), accepted)) throw this.#rejected();
  }

  #add(text: string): AnswerEvent {
    this.#text += text;
    return { type: "block_delta", index: this.#index ?? 0, delta: { type: "text_delta", text } };
  }

  #rejected(): HawserError {
    return new HawserError("structured_output", REJECTED, {
      hint: "Ask again. A value that is shown only when it is whole can be corrected by the model: the AI SDK provider does that with `partialObjects: false`.",
      partialText: this.#text,
    });
  }
}

const REJECTED =
  "The value did not fit the schema, and it had been shown while the model wrote it, so that it could not be corrected.";

function isValue(block: ContentBlock): boolean {
  return block.type === "tool_use" && block.name === "StructuredOutput";
}

/** Whether a block is what the model thought. */
export function isThinking({ type }: ContentBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** The message with the calls of the client's tools. Its thinking has been shown. */
function callBlocks(
  content: readonly ContentBlock[],
  allowsParallelCalls: boolean,
): readonly ContentBlock[] {
  const blocks = content.filter((block) => !isPartOfValue(block));
  if (allowsParallelCalls) return blocks;
  return blocks.slice(0, blocks.findIndex(({ type }) => type === "tool_use") + 1);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
