import type { AnswerEvent } from "hawser/answer";
import { describe, expect, it } from "vitest";
import { IgnoredParameters } from "../../src/body/ignored-parameters.js";
import { decodeThinking } from "../../src/openai/responses/encrypted-thinking.js";
import {
  ResponseEvents,
  type ResponseEventsOptions,
} from "../../src/openai/responses/response-events.js";
import { createResponseId, responseIdOf } from "../../src/openai/responses/response-ids.js";
import { emptyResponse } from "../../src/openai/responses/response-object.js";
import { parseResponsesBody } from "../../src/openai/responses/responses-body.js";
import { ToolSet } from "../../src/openai/tool-set.js";
import { answerOf, textBlock, thinkingBlock, toolBlock } from "./answer-events.helper.js";

const toolSet = new ToolSet(
  [
    { kind: "function", name: "weather", path: "" },
    { kind: "custom", name: "sql", path: "" },
    { kind: "function", name: "find", namespace: { name: "crm" }, path: "" },
  ],
  new IgnoredParameters(),
);

function play(events: readonly AnswerEvent[], options: Partial<ResponseEventsOptions> = {}) {
  const id = createResponseId();
  const body = parseResponsesBody({ model: "sonnet", input: "Hi." });
  const state = new ResponseEvents(emptyResponse(id, body, 1), {
    toolSet,
    showsSummary: false,
    showsEncryptedThinking: false,
    now: () => 2,
    ...options,
  });
  const sent = events.flatMap((event) => [...state.push(event)]);
  return { id, state, sent, types: sent.map(({ type }) => type.replace("response.", "")) };
}

describe("ResponseEvents", () => {
  it("shows a call of a tool of a namespace with the client's names", () => {
    const call = toolBlock("toolu_1", "crm__find", {}, '{"id":1}');
    const { state, sent } = play(answerOf([call], "tool_use"));
    const item = { type: "function_call", name: "find", namespace: "crm", arguments: '{"id":1}' };
    expect(state.response.output).toMatchObject([item]);
    expect(state.items).toMatchObject([item]);
    const added = sent.find(({ type }) => type === "response.output_item.added");
    expect(added).toMatchObject({ item: { ...item, arguments: "" } });
    const done = sent.find(({ type }) => type === "response.function_call_arguments.done");
    expect(done).toMatchObject({ name: "find" });
  });

  it("streams a text in the order that the strict accumulator of openai needs", () => {
    const { id, state, sent, types } = play(answerOf([textBlock("A ", "bowline.")]));
    expect(types).toEqual([
      "created",
      "in_progress",
      "output_item.added",
      "content_part.added",
      "output_text.delta",
      "output_text.delta",
      "output_text.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(sent.map((event) => event.sequence_number)).toEqual(sent.map((_, i) => i));
    const [item] = state.response.output;
    expect(responseIdOf(item?.id ?? "")).toBe(id);
    expect(state.response).toMatchObject({
      id,
      object: "response",
      status: "completed",
      created_at: 1,
      completed_at: 2,
      model: "claude-test",
      output: [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "A bowline.", annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 15,
        input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 20,
        cost: 0.5,
      },
    });
    expect(sent.at(-1)?.["response"]).toEqual(state.response);
  });

  it("streams parallel function calls", () => {
    const { state, types } = play(
      answerOf(
        [
          toolBlock("t1", "weather", {}, '{"city":', '"Oslo"}'),
          toolBlock("t2", "weather", { a: 1 }),
        ],
        "tool_use",
      ),
    );
    expect(types.slice(2, -1)).toEqual([
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
      "output_item.added",
      "function_call_arguments.delta",
      "function_call_arguments.done",
      "output_item.done",
    ]);
    expect(state.response.output).toMatchObject([
      { type: "function_call", call_id: "t1", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call", call_id: "t2", name: "weather", arguments: '{"a":1}' },
    ]);
  });

  it("streams a call of a custom tool as its text", () => {
    const { state, types } = play(
      answerOf([toolBlock("t1", "sql", {}, '{"input":"SELECT 1"}')], "tool_use"),
    );
    expect(types.slice(3, 5)).toEqual([
      "custom_tool_call_input.delta",
      "custom_tool_call_input.done",
    ]);
    expect(state.response.output).toMatchObject([{ type: "custom_tool_call", input: "SELECT 1" }]);
  });

  it("keeps thinking for a later request, and shows it only if the client asks", () => {
    const events = answerOf([thinkingBlock("Hm.", "sig"), textBlock("A.")]);
    const hidden = play(events);
    expect(hidden.types.slice(2, 4)).toEqual(["output_item.added", "output_item.done"]);
    expect(hidden.state.response.output[0]).toMatchObject({ type: "reasoning", summary: [] });
    expect(hidden.state.response.output[0]).not.toHaveProperty("encrypted_content");

    const shown = play(events, { showsSummary: true, showsEncryptedThinking: true });
    expect(shown.types.slice(2, 8)).toEqual([
      "output_item.added",
      "reasoning_summary_part.added",
      "reasoning_summary_text.delta",
      "reasoning_summary_text.done",
      "reasoning_summary_part.done",
      "output_item.done",
    ]);
    expect(shown.state.response.output[0]).toMatchObject({
      summary: [{ type: "summary_text", text: "Hm." }],
    });
    for (const [item] of [hidden.state.items, shown.state.items]) {
      const content = item?.type === "reasoning" ? (item.encrypted_content ?? "") : "";
      expect(decodeThinking(content)).toEqual({
        type: "thinking",
        thinking: "Hm.",
        signature: "sig",
      });
    }
  });

  it("ends max_tokens as incomplete", () => {
    const { state, types } = play(answerOf([textBlock("A")], "max_tokens"));
    expect(types.at(-1)).toBe("incomplete");
    expect(state.response).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
  });

  it("ends a refusal with a refusal part", () => {
    const { state, types } = play(answerOf([], "refusal"));
    expect(types.slice(2)).toEqual([
      "output_item.added",
      "content_part.added",
      "refusal.delta",
      "refusal.done",
      "content_part.done",
      "output_item.done",
      "completed",
    ]);
    expect(state.response.output).toMatchObject([{ content: [{ type: "refusal" }] }]);
  });

  it("tells a failure and keeps what has arrived", () => {
    const { state } = play(answerOf([textBlock("A")]).slice(0, -2));
    const problem = { status: 529, code: "overloaded", message: "Busy.", param: undefined };
    const [event, ...others] = state.fail({
      ...problem,
      shouldRetry: false,
      retryAfterMs: undefined,
    });
    expect(others).toMatchObject([
      { type: "error", code: "overloaded", message: "Busy.", error: { type: "server_error" } },
    ]);
    expect(event?.type).toBe("response.failed");
    expect(event?.["response"]).toMatchObject({
      status: "failed",
      error: { code: "server_error", message: "Busy." },
      output: [{ status: "in_progress" }],
    });
  });
});

describe("decodeThinking()", () => {
  it.each(["", "gAAAA", "hawser1.", "hawser1.e30", `hawser1.${btoa('{"type":"text"}')}`])(
    "gives undefined for %j",
    (content) => {
      expect(decodeThinking(content)).toBeUndefined();
    },
  );
});
