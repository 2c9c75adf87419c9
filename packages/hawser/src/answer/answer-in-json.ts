import { HawserError } from "../base/index.js";
import { extractJson } from "../complete/index.js";
import type { AnswerEvent } from "./answer.js";
import { blockEvents } from "./message-reader.js";
import { isThinking } from "./partial-value.js";

/** The text of an answer without tool calls must be JSON. It is shown when it is whole, after the thinking. */
export async function* answerInJson(
  events: AsyncIterable<AnswerEvent>,
): AsyncGenerator<AnswerEvent, undefined> {
  const held: AnswerEvent[] = [];
  /** The indices of the blocks of thinking, in their order. */
  const thinking: number[] = [];
  let text = "";
  let hasCalls = false;
  for await (const event of events) {
    if (event.type === "start") yield event;
    else if (event.type !== "end") {
      held.push(event);
      if (event.type === "block_start" && event.block.type === "tool_use") hasCalls = true;
      if (event.type === "block_start" && isThinking(event.block)) thinking.push(event.index);
      if (event.type === "block_delta" && event.delta.type === "text_delta") {
        text += event.delta.text;
      }
    } else if (hasCalls || event.end.stopReason !== "end_turn") {
      yield* held;
      yield event;
    } else {
      const json = jsonIn(text);
      for (const each of held) {
        const index = "index" in each ? thinking.indexOf(each.index) : -1;
        if (index >= 0) yield { ...each, index } as AnswerEvent;
      }
      yield* blockEvents(thinking.length, { type: "text", text: json });
      yield event;
    }
  }
}

/** Throws `structured_output` if the text has no JSON. */
function jsonIn(text: string): string {
  const value = extractJson(text);
  try {
    JSON.parse(text);
    return text.trim();
  } catch {
    return JSON.stringify(value);
  }
}

/**
 * As `answerInJson()`, but a text that begins like JSON is shown while the model writes it. Throws
 * `structured_output` at the end if such a text is no JSON. Any other text is shown when it is whole.
 */
export async function* answerInPartialJson(
  events: AsyncIterable<AnswerEvent>,
): AsyncGenerator<AnswerEvent, undefined> {
  const held: AnswerEvent[] = [];
  let text = "";
  let isShown = false;
  let hasCalls = false;
  for await (const event of events) {
    if (event.type === "end") {
      if (hasCalls || event.end.stopReason !== "end_turn") yield* held;
      else if (isShown) refuseOtherThanJson(text);
      else yield* blockEvents(firstIndex(held), { type: "text", text: jsonIn(text) });
      yield event;
      return;
    }
    if (event.type === "block_start" && event.block.type === "tool_use") hasCalls = true;
    if (event.type === "block_delta" && event.delta.type === "text_delta") {
      text += event.delta.text;
      isShown ||= /^\s*[[{]/.test(text);
    }
    if (isShown || hasCalls || (held.length === 0 && !isTextStart(event))) {
      yield* held.splice(0);
      yield event;
    } else held.push(event);
  }
}

function isTextStart(event: AnswerEvent): boolean {
  return event.type === "block_start" && event.block.type === "text";
}

function firstIndex([first]: readonly AnswerEvent[]): number {
  return first !== undefined && "index" in first ? first.index : 0;
}

function refuseOtherThanJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new HawserError("structured_output", "The answer of the model is not JSON.", {
      cause,
      partialText: text,
    });
  }
}
