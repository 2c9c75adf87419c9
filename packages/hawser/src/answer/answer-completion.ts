import { type HawserError, isHawserError } from "../base/index.js";
import { isObjectSchema } from "../schema/index.js";
import type { ContentBlock, Usage } from "../wire/index.js";
import type { AnswerEvent, StopReason } from "./answer.js";
import { CLI_GOES_ON, completedEnd, endOf, stopReasonOf, UNKNOWN_USAGE } from "./answer-ends.js";
import { answerInJson, answerInPartialJson } from "./answer-in-json.js";
import type { AnsweringCall } from "./answering-call.js";
import { blockEvents, MessageReader, messageId } from "./message-reader.js";
import type { ModelRequest } from "./model-request.js";
import { answerByPartialValue, isPartOfValue, isThinking } from "./partial-value.js";
import { StopSequences } from "./stop-sequences.js";

/** How an answer is shown. */
export interface Showing {
  /** Whether the events are for a reader that shows them at once. */
  readonly isStreamed: boolean;
  /** Whether a value by schema, or JSON, is shown while the model writes it. */
  readonly showsPartialValue: boolean;
}

/** Reads the answer of a model that has no tools of the server. The reader of the events drives the call. */
export async function* answerCompletion(
  call: AnsweringCall,
  request: ModelRequest,
  reader: MessageReader,
  { showsPartialValue }: Showing,
): AsyncGenerator<AnswerEvent, undefined> {
  try {
    if (isByValue(request)) {
      const answerBy =
        showsPartialValue && canShowParts(request) ? answerByPartialValue : answerByValue;
      yield* answerBy(call, request, reader);
    } else if (request.wantsJson) {
      const inJson = showsPartialValue ? answerInPartialJson : answerInJson;
      yield* inJson(streamed(call, request, reader));
    } else yield* endAtStopSequence(streamed(call, request, reader), request, reader);
  } catch (error) {
    const stopReason = isHawserError(error) ? NORMAL_ENDS.get(error.code) : undefined;
    if (stopReason === undefined) throw error;
    yield* endedEarly(stopReason, error as HawserError, request, reader);
  }
}

/** These are errors of a call, but a client of the API expects an answer that ends with a stop reason. */
const NORMAL_ENDS: ReadonlyMap<string, StopReason> = new Map([
  ["max_output_tokens", "max_tokens"],
  ["refusal", "refusal"],
]);

/** The end of an answer that `hawser` reports as an error, with the text that was not shown yet. */
function* endedEarly(
  stopReason: StopReason,
  { partialText = "", result }: HawserError,
  request: ModelRequest,
  reader: MessageReader,
): Iterable<AnswerEvent> {
  const { usage } = (result ?? {}) as { usage?: Usage };
  const counted = usage ?? reader.usage ?? UNKNOWN_USAGE;
  if (!reader.isStarted) {
    const { model } = request;
    yield { type: "start", message: { id: messageId(), model, usage: counted } };
  }
  if (isByValue(request) && partialText !== "") {
    yield* blockEvents(reader.nextIndex, { type: "text", text: partialText });
  }
  yield endOf(stopReason, counted);
}

/** A reader for `answerCompletion()`. */
export function readerFor(
  request: ModelRequest,
  { isStreamed, showsPartialValue }: Showing,
): MessageReader {
  const isShown = !isByValue(request);
  // A stop sequence ends the work of the model as soon as it is seen.
  const isHeld = !isStreamed && request.stopSequences.length === 0;
  const showsParts = showsPartialValue && canShowParts(request);
  return new MessageReader({ shows: showsParts ? isPartOfValue : () => isShown, isHeld });
}

/** Whether the call asks for a value by schema: the answer itself, or the input of a tool that must be called. */
function isByValue(request: ModelRequest): boolean {
  return request.schema !== undefined || isForced(request);
}

/** Whether what the model writes for the schema is the text of the value itself. */
function canShowParts(request: ModelRequest): boolean {
  return !isForced(request) && isObjectSchema(request.schema);
}

/** Whether the model must call a tool. */
export function isForced({ tools, toolChoice }: ModelRequest): boolean {
  return tools.length > 0 && toolChoice !== "auto" && toolChoice !== "none";
}

/** The first whole message of the model is the answer. The CLI would go on after some stop reasons. */
async function* streamed(
  call: AnsweringCall,
  request: ModelRequest,
  reader: MessageReader,
): AsyncGenerator<AnswerEvent, undefined> {
  let calls = 0;
  const names = new Set(request.tools.map(({ name }) => name));
  let isKnownCall = true;
  for await (const message of call) {
    const before = reader.end;
    for (const event of reader.read(message)) {
      if (event.type === "block_start" && event.block.type === "tool_use") {
        calls += 1;
        isKnownCall &&= names.has(event.block.name);
        if (calls > 1 && !request.allowsParallelCalls) {
          yield endOf("tool_use", reader.usage);
          return;
        }
      }
      yield event;
    }
    const { end } = reader;
    if (end === undefined || end === before) continue;
    const { stopReason, usage } = end;
    const goesOn = CLI_GOES_ON.has(stopReason) || (stopReason === "tool_use" && !isKnownCall);
    if (!goesOn) continue;
    yield endOf(stopReasonOf(stopReason), usage);
    return;
  }
  const completion = await call.completion;
  const { stop, result } = completion;
  const stopReason =
    stop === "tool_calls" ? "tool_use" : (reader.end?.stopReason ?? result.stop_reason);
  yield completedEnd(stopReasonOf(stopReason ?? "end_turn"), completion);
}

/** The value is shown when it is accepted, because a value that does not fit is repaired. */
async function* answerByValue(
  call: AnsweringCall,
  { allowsParallelCalls }: ModelRequest,
  reader: MessageReader,
): AsyncGenerator<AnswerEvent, undefined> {
  for await (const message of call) yield* reader.read(message);
  const completion = await call.completion;
  const { value, stop, content, usage, model = "" } = completion;
  if (!reader.isStarted) yield { type: "start", message: { id: messageId(), model, usage } };
  const isToolCall = stop === "tool_calls";
  const text = { type: "text", text: JSON.stringify(value) } as const;
  const calls = allowsParallelCalls ? content : untilFirstCall(content);
  const shown = isToolCall ? calls : [...content.filter(isThinking), text];
  for (const [index, block] of shown.entries()) yield* blockEvents(index, block);
  yield completedEnd(isToolCall ? "tool_use" : "end_turn", completion);
}

function untilFirstCall(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.slice(0, content.findIndex(({ type }) => type === "tool_use") + 1);
}

/** Ends the answer before the first stop sequence in its text. */
async function* endAtStopSequence(
  events: AsyncIterable<AnswerEvent>,
  { stopSequences }: ModelRequest,
  reader: MessageReader,
): AsyncGenerator<AnswerEvent, undefined> {
  if (stopSequences.length === 0) {
    yield* events;
    return;
  }
  const stops = new StopSequences(stopSequences);
  for await (const event of events) {
    if (event.type === "block_delta" && event.delta.type === "text_delta") {
      const { index } = event;
      const { text, found } = stops.add(event.delta.text);
      if (text !== "") yield { type: "block_delta", index, delta: { type: "text_delta", text } };
      if (found === undefined) continue;
      yield { type: "block_stop", index };
      yield endOf("stop_sequence", reader.usage, found);
      return;
    }
    if (event.type === "block_stop") {
      const text = stops.flush();
      const { index } = event;
      if (text !== "") yield { type: "block_delta", index, delta: { type: "text_delta", text } };
    }
    yield event;
  }
}
