import { describe, expect, it } from "vitest";
import type { AnswerEvent } from "../../src/answer/answer.js";
import { answerCompletion, readerFor } from "../../src/answer/answer-completion.js";
import type { ModelRequest } from "../../src/answer/model-request.js";
import type { Completion } from "../../src/complete/index.js";
import type { Message } from "../../src/wire/index.js";

const SCHEMA = { type: "object", properties: { knot: { type: "string" } } };
const usage = { input_tokens: 1, output_tokens: 2 };

interface Said {
  /** The blocks of each message, with the pieces of their text or input. */
  readonly messages: readonly (readonly Block[])[];
  readonly completion?: Partial<Completion<unknown>>;
  readonly request?: Partial<ModelRequest>;
  readonly stopReason?: string;
}

type Block = { readonly type: "text" | "thinking" | "value"; readonly pieces: readonly string[] };

async function answer({ messages, completion = {}, request = {}, stopReason }: Said) {
  const asked: ModelRequest = {
    model: "sonnet",
    system: undefined,
    messages: [{ role: "user", content: "Name a knot." }],
    tools: [],
    toolChoice: "auto",
    allowsParallelCalls: true,
    schema: SCHEMA,
    wantsJson: false,
    effort: undefined,
    thinking: undefined,
    stopSequences: [],
    ...request,
  };
  const showing = { isStreamed: true, showsPartialValue: true };
  const done = { stop: "completed", content: [], usage, model: "m", ...completion };
  const call = {
    completion: Promise.resolve(done as unknown as Completion<unknown>),
    async *[Symbol.asyncIterator]() {
      for (const [i, blocks] of messages.entries()) yield* streamed(`msg_${i}`, blocks, stopReason);
    },
  };
  const events: AnswerEvent[] = [];
  const reader = readerFor(asked, showing);
  for await (const event of answerCompletion(call, asked, reader, showing)) events.push(event);
  return events;
}

function* streamed(id: string, blocks: readonly Block[], stop = "end_turn"): Iterable<Message> {
  const event = (fields: object) => {
    return { type: "stream_event", parent_tool_use_id: null, event: fields } as unknown as Message;
  };
  yield event({ type: "message_start", message: { id, model: "m", usage } });
  for (const [index, { type, pieces }] of blocks.entries()) {
    yield event({ type: "content_block_start", index, content_block: START[type] });
    for (const piece of pieces) {
      yield event({ type: "content_block_delta", index, delta: DELTA[type](piece) });
    }
    yield event({ type: "content_block_stop", index });
  }
  yield event({ type: "message_delta", delta: { stop_reason: stop }, usage });
  yield event({ type: "message_stop" });
}

const START = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
  value: { type: "tool_use", id: "t", name: "StructuredOutput", input: {} },
} as const;

const DELTA = {
  text: (text: string) => ({ type: "text_delta", text }),
  thinking: (thinking: string) => ({ type: "thinking_delta", thinking }),
  value: (partial_json: string) => ({ type: "input_json_delta", partial_json }),
} as const;

function value(...pieces: readonly string[]): Block {
  return { type: "value", pieces };
}

function textsOf(events: readonly AnswerEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type !== "block_delta" || event.delta.type !== "text_delta") return [];
    return [event.delta.text];
  });
}

describe("answerCompletion() with showsPartialValue", () => {
  it("shows the value in the pieces of the model, and thinking before it, but no other text", async () => {
    const events = await answer({
      messages: [
        [
          { type: "thinking", pieces: ["Hm."] },
          { type: "text", pieces: ["Here:"] },
          value('{"knot":', '"bowline"}'),
        ],
      ],
      completion: { value: { knot: "bowline" } },
    });
    expect(textsOf(events)).toEqual(['{"knot":', '"bowline"}']);
    expect(events.filter(({ type }) => type === "block_start")).toMatchObject([
      { index: 0, block: { type: "thinking" } },
      { index: 1, block: { type: "text" } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: "end", end: { stopReason: "end_turn" } });
  });

  it("shows a value without properties as an empty object", async () => {
    const events = await answer({ messages: [[value("")]], completion: { value: {} } });
    expect(textsOf(events)).toEqual(["", "{}"]);
  });

  it("throws structured_output when the model begins the value a second time", async () => {
    const attempt = answer({
      messages: [[value('{"knot":1}')], [value('{"knot":"bowline"}')]],
      completion: { value: { knot: "bowline" } },
    });
    await expect(attempt).rejects.toMatchObject({
      code: "structured_output",
      partialText: '{"knot":1}',
    });
  });

  it("throws structured_output if another value was accepted", async () => {
    const attempt = answer({
      messages: [[value('{"knot":"bowline"}')]],
      completion: { value: { knot: "hitch" } },
    });
    await expect(attempt).rejects.toMatchObject({ code: "structured_output" });
  });

  it("shows a value that the model wrote as a text when it is accepted", async () => {
    const events = await answer({
      messages: [[{ type: "text", pieces: ['{"knot":', '"bowline"}'] }]],
      completion: { value: { knot: "bowline" } },
    });
    expect(textsOf(events)).toEqual(['{"knot":"bowline"}']);
  });

  it("ends with max_tokens if the limit cuts the value, and does not let the CLI go on", async () => {
    const events = await answer({
      messages: [[value('{"kn')], [value("{}")]],
      stopReason: "max_tokens",
    });
    expect(textsOf(events)).toEqual(['{"kn']);
    expect(events.at(-1)).toMatchObject({ type: "end", end: { stopReason: "max_tokens" } });
  });

  it("shows a value that is no object when it is accepted, because it is written inside an object", async () => {
    const events = await answer({
      messages: [[value('{"value":', "[1]}")]],
      request: { schema: { type: "array", items: { type: "number" } } },
      completion: { value: [1] },
    });
    expect(textsOf(events)).toEqual(["[1]"]);
  });
});

describe("answerCompletion() with showsPartialValue and wantsJson", () => {
  const request = { schema: undefined, wantsJson: true };
  const result = { stop_reason: "end_turn" } as never;

  it("shows JSON in the pieces of the model", async () => {
    const messages = [[{ type: "text", pieces: [" ", '{"a":', "1}"] } as const]];
    const events = await answer({ messages, request, completion: { result } });
    expect(textsOf(events)).toEqual([" ", '{"a":', "1}"]);
  });

  it("shows JSON inside other text when it is whole", async () => {
    const messages = [
      [{ type: "text", pieces: ["Here:\n", "```json\n", '{"a":1}\n```'] } as const],
    ];
    const events = await answer({ messages, request, completion: { result } });
    expect(textsOf(events)).toEqual(['{"a":1}']);
  });

  it("throws structured_output if a text that began like JSON is none", async () => {
    const messages = [[{ type: "text", pieces: ['{"a":', "oops"] } as const]];
    const attempt = answer({ messages, request, completion: { result } });
    await expect(attempt).rejects.toMatchObject({
      code: "structured_output",
      partialText: '{"a":oops',
    });
  });
});
