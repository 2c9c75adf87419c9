import type { AnswerEvent, StopReason } from "hawser/answer";
import { describe, expect, it } from "vitest";
import { IgnoredParameters } from "../../src/body/ignored-parameters.js";
import { ChatAnswer, type ChatAnswerOptions } from "../../src/openai/chat/chat-completion.js";
import { ToolSet } from "../../src/openai/tool-set.js";
import { answerOf, textBlock, thinkingBlock, toolBlock } from "./answer-events.helper.js";

const toolSet = new ToolSet(
  [
    { kind: "function", name: "weather", path: "" },
    { kind: "custom", name: "sql", path: "" },
  ],
  new IgnoredParameters(),
);

function play(events: readonly AnswerEvent[], options: Partial<ChatAnswerOptions> = {}) {
  const answer = new ChatAnswer({
    toolSet,
    includesUsage: false,
    created: 1,
    ...options,
  });
  const chunks = events.flatMap((event) => answer.push(event));
  return {
    chunks,
    deltas: chunks.map(({ choices }) => choices[0]?.delta),
    completion: answer.completion(),
  };
}

describe("ChatAnswer", () => {
  it("streams a text: the role first, the finish reason last", () => {
    const { chunks, deltas } = play(answerOf([textBlock("A ", "bowline.")]));
    expect(deltas).toEqual([
      { role: "assistant", content: "", refusal: null },
      { content: "A " },
      { content: "bowline." },
      {},
    ]);
    expect(chunks.map(({ choices }) => choices[0]?.finish_reason)).toEqual([
      null,
      null,
      null,
      "stop",
    ]);
    expect(chunks[0]).toMatchObject({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "claude-test",
    });
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
  });

  it("ends with a chunk of the usage if includesUsage is set", () => {
    const { chunks } = play(answerOf([textBlock("A")]), { includesUsage: true });
    const last = chunks.pop();
    expect(last).toMatchObject({ choices: [], id: "chatcmpl-1" });
    expect(last?.usage).toEqual({
      prompt_tokens: 15,
      completion_tokens: 5,
      total_tokens: 20,
      prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 4 },
      cost: 0.5,
    });
    expect(chunks.every(({ usage }) => usage === null)).toBe(true);
  });

  it("leaves out what is not known of the usage", () => {
    const usage = { input_tokens: 1, output_tokens: 2 };
    const { completion } = play(
      answerOf([textBlock("A")], "end_turn", { usage, costUsd: undefined }),
    );
    expect(completion.usage).toEqual({
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    });
  });

  it("streams parallel tool calls: index, id, type and name once, then the arguments", () => {
    const { deltas, completion } = play(
      answerOf(
        [
          textBlock("I look."),
          toolBlock("t1", "weather", {}, "", '{"city":', '"Oslo"}'),
          toolBlock("t2", "weather", {}),
        ],
        "tool_use",
      ),
    );
    expect(deltas.slice(2, -1).map((delta) => delta?.tool_calls?.[0])).toEqual([
      { index: 0, id: "t1", type: "function", function: { name: "weather", arguments: "" } },
      { index: 0, function: { arguments: '{"city":' } },
      { index: 0, function: { arguments: '"Oslo"}' } },
      { index: 1, id: "t2", type: "function", function: { name: "weather", arguments: "" } },
      { index: 1, function: { arguments: "{}" } },
    ]);
    expect(completion.choices[0]).toEqual({
      index: 0,
      logprobs: null,
      finish_reason: "tool_calls",
      message: {
        role: "assistant",
        content: "I look.",
        refusal: null,
        tool_calls: [
          {
            id: "t1",
            type: "function",
            function: { name: "weather", arguments: '{"city":"Oslo"}' },
          },
          { id: "t2", type: "function", function: { name: "weather", arguments: "{}" } },
        ],
      },
    });
  });

  it("gives the whole input of a call that was not streamed", () => {
    const { completion } = play(
      answerOf([toolBlock("t1", "weather", { city: "Oslo" })], "tool_use"),
    );
    const { message } = completion.choices[0];
    expect(message.content).toBeNull();
    expect(message.tool_calls?.[0]?.function?.arguments).toBe('{"city":"Oslo"}');
  });

  it("shows a call of a custom tool as its text", () => {
    const { deltas, completion } = play(
      answerOf([toolBlock("t1", "sql", {}, '{"input":"SEL', 'ECT 1"}')], "tool_use"),
    );
    expect(deltas.slice(1, -1).map((delta) => delta?.tool_calls?.[0])).toEqual([
      { index: 0, id: "t1", type: "custom", custom: { name: "sql", input: "" } },
      { index: 0, custom: { input: "SELECT 1" } },
    ]);
    expect(completion.choices[0].message.tool_calls).toEqual([
      { id: "t1", type: "custom", custom: { name: "sql", input: "SELECT 1" } },
    ]);
  });

  it("gives thinking as reasoning_content", () => {
    const { deltas, completion } = play(answerOf([thinkingBlock("Hm.", "s"), textBlock("A.")]));
    expect(deltas[1]).toEqual({ reasoning_content: "Hm." });
    expect(completion.choices[0].message).toMatchObject({
      reasoning_content: "Hm.",
      content: "A.",
    });
  });

  it("puts a blank line between two texts", () => {
    const { completion } = play(answerOf([textBlock("A."), textBlock(), textBlock("B.", "C.")]));
    expect(completion.choices[0].message.content).toBe("A.\n\nB.C.");
  });

  it.each<[StopReason, string]>([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool_calls"],
    ["max_tokens", "length"],
    ["pause_turn", "length"],
    ["refusal", "content_filter"],
  ])("ends %s as %s", (stopReason, finishReason) => {
    const { completion } = play(answerOf([textBlock("A")], stopReason));
    expect(completion.choices[0].finish_reason).toBe(finishReason);
  });
});
