import { type ReadEvent, sseEvents } from "./read-sse.js";

/** One part of a conversation, in no format yet. */
export type Part =
  | { readonly user: string }
  | { readonly assistant: string }
  | { readonly call: SeenCall }
  | { readonly result: { readonly id: string; readonly text: string } };

export interface SeenCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What a client understands of an answer. */
export interface SeenAnswer {
  readonly text: string;
  readonly calls: readonly SeenCall[];
  /** Whether the answer says that nothing is missing. */
  readonly isWhole: boolean;
  /** The id of the answer, if it came. */
  readonly id: string | undefined;
}

export interface BodyOptions {
  readonly isStreamed?: boolean;
  readonly system?: string;
  readonly tool?: { readonly name: string; readonly description: string };
  /** More fields of the body, in the format itself. */
  readonly more?: object;
}

/** A format of the gateway: how a client of it asks, and how it reads the answer. */
export interface WireFormat {
  readonly name: string;
  readonly path: string;
  body(parts: readonly Part[], options?: BodyOptions): object;
  /** Reads the body of an answer that was not streamed. */
  whole(text: string): SeenAnswer;
  /** Reads the body of a stream, whole or not. */
  streamed(text: string): SeenAnswer;
}

const MODEL = "sonnet";
const PARAMETERS = { type: "object", properties: { word: { type: "string" } } };

const messages: WireFormat = {
  name: "messages",
  path: "/v1/messages",
  body: (parts, { isStreamed = false, system, tool, more } = {}) => ({
    model: MODEL,
    max_tokens: 1000,
    stream: isStreamed,
    messages: parts.map((part) => {
      if ("user" in part) return { role: "user", content: part.user };
      if ("assistant" in part) return { role: "assistant", content: part.assistant };
      if ("call" in part) {
        return { role: "assistant", content: [{ type: "tool_use", ...part.call }] };
      }
      const { id, text } = part.result;
      return {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: text }],
      };
    }),
    ...(system === undefined ? {} : { system }),
    ...(tool === undefined ? {} : { tools: [{ ...tool, input_schema: PARAMETERS }] }),
    ...more,
  }),
  whole: (text) => {
    const { id, content, stop_reason } = JSON.parse(text) as Loose;
    const blocks = content as Loose[];
    return {
      id,
      text: blocks.map((block) => block["text"] ?? "").join(""),
      calls: blocks
        .filter(({ type }) => type === "tool_use")
        .map(({ id: call, name, input }) => ({ id: call, name, input })),
      isWhole: typeof stop_reason === "string",
    };
  },
  streamed: (text) => {
    const events = jsonEvents(sseEvents(text));
    const deltas = events.filter(({ type }) => type === "content_block_delta");
    const starts = events.filter(({ type }) => type === "content_block_start");
    const calls = starts.filter(({ content_block }) => content_block.type === "tool_use");
    return {
      id: events.find(({ type }) => type === "message_start")?.["message"].id,
      text: deltas.map(({ delta }) => delta.text ?? "").join(""),
      calls: calls.map(({ index, content_block: { id, name } }) => {
        const pieces = deltas.filter((each) => each["index"] === index);
        return { id, name, input: parsed(pieces.map(({ delta }) => delta.partial_json).join("")) };
      }),
      isWhole: events.at(-1)?.["type"] === "message_stop",
    };
  },
};

const chat: WireFormat = {
  name: "chat",
  path: "/v1/chat/completions",
  body: (parts, { isStreamed = false, system, tool, more } = {}) => ({
    model: MODEL,
    stream: isStreamed,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      ...parts.map((part) => {
        if ("user" in part) return { role: "user", content: part.user };
        if ("assistant" in part) return { role: "assistant", content: part.assistant };
        if ("call" in part) {
          const { id, name, input } = part.call;
          const call = {
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          };
          return { role: "assistant", content: null, tool_calls: [call] };
        }
        return { role: "tool", tool_call_id: part.result.id, content: part.result.text };
      }),
    ],
    ...(tool === undefined
      ? {}
      : { tools: [{ type: "function", function: { ...tool, parameters: PARAMETERS } }] }),
    ...more,
  }),
  whole: (text) => {
    const { id, choices } = JSON.parse(text) as Loose;
    const [{ message, finish_reason }] = choices as [Loose];
    return {
      id,
      text: message.content ?? "",
      calls: ((message.tool_calls ?? []) as Loose[]).map(chatCall),
      isWhole: typeof finish_reason === "string",
    };
  },
  streamed: (text) => {
    const all = sseEvents(text);
    const chunks = jsonEvents(all.filter(({ data }) => data !== "[DONE]"));
    const deltas = chunks.flatMap(({ choices = [] }) =>
      (choices as Loose[]).map(({ delta }) => delta as Loose),
    );
    const calls = new Map<number, { id: string; name: string; text: string }>();
    for (const piece of deltas.flatMap(({ tool_calls = [] }) => tool_calls as Loose[])) {
      const { index, id, function: called } = piece;
      const before = calls.get(index) ?? { id, name: called?.name, text: "" };
      calls.set(index, { ...before, text: before.text + (called?.arguments ?? "") });
    }
    return {
      id: chunks[0]?.["id"],
      text: deltas.map(({ content }) => content ?? "").join(""),
      calls: [...calls.values()].map(({ id, name, text: input }) => ({
        ...{ id, name },
        input: parsed(input),
      })),
      isWhole: all.at(-1)?.data === "[DONE]",
    };
  },
};

const responses: WireFormat = {
  name: "responses",
  path: "/v1/responses",
  body: (parts, { isStreamed = false, system, tool, more } = {}) => ({
    model: MODEL,
    stream: isStreamed,
    store: false,
    input: parts.map((part) => {
      if ("user" in part) return { role: "user", content: part.user };
      if ("assistant" in part) return { role: "assistant", content: part.assistant };
      if ("call" in part) {
        const { id, name, input } = part.call;
        return { type: "function_call", call_id: id, name, arguments: JSON.stringify(input) };
      }
      const { id, text } = part.result;
      return { type: "function_call_output", call_id: id, output: text };
    }),
    ...(system === undefined ? {} : { instructions: system }),
    ...(tool === undefined
      ? {}
      : { tools: [{ type: "function", ...tool, parameters: PARAMETERS, strict: false }] }),
    ...more,
  }),
  whole: (text) => {
    const { id, output, status } = JSON.parse(text) as Loose;
    return { id, ...itemsOf(output as Loose[]), isWhole: status === "completed" };
  },
  streamed: (text) => {
    const events = jsonEvents(sseEvents(text));
    const deltas = events.filter(({ type }) => type === "response.output_text.delta");
    const items = events.filter(({ type }) => type === "response.output_item.done");
    const { calls } = itemsOf(items.map(({ item }) => item));
    return {
      id: events.find(({ type }) => type === "response.created")?.["response"].id,
      text: deltas.map(({ delta }) => delta).join(""),
      calls,
      isWhole: events.at(-1)?.["type"] === "response.completed",
    };
  },
};

/** The formats in which the gateway answers. */
export const WIRE_FORMATS = { messages, chat, responses } as const;

/** JSON of which a test knows the shape. */
// biome-ignore lint/suspicious/noExplicitAny: a field that is missing fails the test.
type Loose = Record<string, any>;

function jsonEvents(events: readonly ReadEvent[]): Loose[] {
  return events.map(({ data }) => JSON.parse(data) as Loose);
}

/** The input of a call. A stream that was cut has a part of it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function chatCall({ id, function: { name, arguments: text } }: Loose): SeenCall {
  return { id, name, input: parsed(text) };
}

function itemsOf(items: readonly Loose[]): Pick<SeenAnswer, "text" | "calls"> {
  const parts = items.flatMap(({ content = [] }) => content as Loose[]);
  return {
    text: parts.map(({ text = "" }) => text).join(""),
    calls: items
      .filter(({ type }) => type === "function_call")
      .map(({ call_id: id, name, arguments: text }) => ({ id, name, input: parsed(text) })),
  };
}
