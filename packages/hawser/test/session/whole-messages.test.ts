import { describe, expect, it } from "vitest";
import { TurnRecord } from "../../src/session/turns/turn-record.js";
import { WholeMessages } from "../../src/session/turns/whole-messages.js";
import type { Message, ResultMessage } from "../../src/wire/index.js";
import { fc } from "../support/fc.js";

const text = (words: string) => ({ type: "text", text: words });
const FINAL = { input_tokens: 100, output_tokens: 50 };
const result = { type: "result", usage: FINAL } as unknown as ResultMessage;

function block(id: string, content: object, parent: string | null = null): Message {
  const message = { id, model: "m", role: "assistant", content: [content], usage: PRELIMINARY };
  return { type: "assistant", message, parent_tool_use_id: parent } as unknown as Message;
}

const PRELIMINARY = { input_tokens: 10, output_tokens: 1 };

function event(body: object, parent: string | null = null): Message {
  return { type: "stream_event", event: body, parent_tool_use_id: parent } as unknown as Message;
}

const start = (id: string, parent: string | null = null) =>
  event({ type: "message_start", message: { id, model: "m", usage: PRELIMINARY } }, parent);
const end = (output_tokens: number, parent: string | null = null) =>
  event(
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens } },
    parent,
  );

function whole(messages: readonly Message[], last?: ResultMessage) {
  const parts = new WholeMessages();
  for (const message of messages) parts.add(message);
  return parts.list(last);
}

const reply = {
  model: "m",
  role: "assistant",
  stopReason: undefined,
  parentToolUseId: null,
  usage: undefined,
};

describe("WholeMessages", () => {
  it("merges blocks by message id, in the order in which the messages began", () => {
    expect(
      whole([
        block("1", { type: "thinking", thinking: "hm" }),
        block("1", text("a")),
        block("2", text("b")),
        block("1", { type: "tool_use", id: "t", name: "Bash", input: {} }),
      ]),
    ).toEqual([
      {
        ...reply,
        id: "1",
        content: [
          { type: "thinking", thinking: "hm" },
          text("a"),
          { type: "tool_use", id: "t", name: "Bash", input: {} },
        ],
      },
      { ...reply, id: "2", content: [text("b")] },
    ]);
  });

  it("takes final usage and stopReason from stream events", () => {
    expect(
      whole([start("1"), block("1", text("a")), end(7), start("2"), block("2", text("b")), end(9)]),
    ).toEqual([
      {
        ...reply,
        id: "1",
        content: [text("a")],
        stopReason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 7 },
      },
      {
        ...reply,
        id: "2",
        content: [text("b")],
        stopReason: "end_turn",
        usage: { input_tokens: 10, output_tokens: 9 },
      },
    ]);
  });

  it("takes the usage of the turn without events if the turn has one message", () => {
    const [one, two] = [block("1", text("a")), block("2", text("b"))];
    const agents = block("3", text("c"), "agent");
    expect(whole([one], result).map(({ usage }) => usage)).toEqual([FINAL]);
    expect(whole([one, agents], result).map(({ usage }) => usage)).toEqual([FINAL, undefined]);
    expect(whole([one, two], result).map(({ usage }) => usage)).toEqual([undefined, undefined]);
    expect(whole([one]).map(({ usage }) => usage)).toEqual([undefined]);
  });

  it("keeps the messages of sub-agents apart, also when they stream concurrently", () => {
    expect(
      whole([
        start("main"),
        start("x", "agent-x"),
        start("y", "agent-y"),
        end(3, "agent-y"),
        block("y", text("y"), "agent-y"),
        block("main", text("m")),
        end(1),
        block("x", text("x"), "agent-x"),
        end(2, "agent-x"),
      ]).map(({ id, parentToolUseId, usage }) => [id, parentToolUseId, usage?.output_tokens]),
    ).toEqual([
      ["main", null, 1],
      ["x", "agent-x", 2],
      ["y", "agent-y", 3],
    ]);
  });

  it("omits messages without content and error messages", () => {
    const failed = { ...block("2", text("Overloaded")), error: "overloaded" } as Message;
    expect(whole([start("1"), failed, end(1)])).toEqual([]);
  });
});

describe("TurnRecord", () => {
  it("takes text from stream events if there are any, and otherwise from blocks", () => {
    const record = new TurnRecord();
    const delta = (words: string, parent: string | null = null) =>
      event({ type: "content_block_delta", index: 0, delta: text(words) }, parent);
    const messages = [start("1"), delta("a"), delta("b"), delta("not mine", "agent")];
    for (const each of messages) record.add(each);
    record.add(block("1", text("ab")));
    record.add(block("2", text("c")));
    record.add(block("3", text("not mine"), "agent"));
    expect(record.text.text).toBe("abc");
  });

  it("knows which tools still run", () => {
    const record = new TurnRecord();
    const results = (...ids: string[]) =>
      ({
        type: "user",
        message: { content: ids.map((tool_use_id) => ({ type: "tool_result", tool_use_id })) },
      }) as unknown as Message;
    const seen = [
      block("1", { type: "tool_use", id: "t1" }),
      block("1", { type: "tool_use", id: "t2" }),
      results("t1"),
      { type: "user", message: { content: "words" } } as unknown as Message,
      results("t2"),
    ].map((message) => {
      record.add(message);
      return record.awaitsTool;
    });
    expect(seen).toEqual([true, true, true, true, false]);
  });

  it("accepts messages of every shape", () => {
    const types = ["assistant", "user", "stream_event", "system", "rate_limit_event", "result"];
    const body = fc.oneof(
      fc.constant(undefined),
      fc.constant(null),
      fc.string(),
      fc.record(
        {
          id: fc.string(),
          type: fc.constantFrom("message_start", "message_delta", "content_block_delta"),
          content: fc.oneof(fc.string(), fc.array(fc.oneof(fc.object(), fc.constant(null)))),
          delta: fc.oneof(fc.string(), fc.constant(null), fc.object()),
          message: fc.oneof(fc.string(), fc.constant(null), fc.object()),
        },
        { requiredKeys: [] },
      ),
    );
    const message = fc.record(
      { type: fc.constantFrom(...types), message: body, event: body, parent_tool_use_id: body },
      { requiredKeys: ["type"] },
    );
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const record = new TurnRecord();
        for (const each of messages) record.add(each as unknown as Message);
        record.whole.list();
      }),
      { numRuns: 500 },
    );
  });
});
