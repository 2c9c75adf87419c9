import { describe, expect, it } from "vitest";
import type { AnswerEvent } from "../../src/answer/answer.js";
import { MessageReader } from "../../src/answer/message-reader.js";
import type { Message } from "../../src/index.js";

const STAMP = { uuid: "u", session_id: "s", parent_tool_use_id: null };
const USAGE = { input_tokens: 3, output_tokens: 1 };

function event(fields: object): Message {
  return { type: "stream_event", event: fields, ...STAMP } as unknown as Message;
}

function assistant(id: string, ...content: readonly object[]): Message {
  const message = { id, type: "message", role: "assistant", model: "m", content, usage: USAGE };
  return { type: "assistant", message, ...STAMP } as unknown as Message;
}

const start = (id: string) =>
  event({ type: "message_start", message: { id, model: "m", usage: USAGE } });
const textStart = (index: number) =>
  event({ type: "content_block_start", index, content_block: { type: "text", text: "" } });
const textDelta = (index: number, text: string) =>
  event({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
const blockStop = (index: number) => event({ type: "content_block_stop", index });
const ended = (stop_reason: string | null) => [
  event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } }),
  event({ type: "message_stop" }),
];

function read(messages: readonly Message[], isHeld = false): AnswerEvent[] {
  const reader = new MessageReader({ shows: ({ type }) => type !== "tool_use", isHeld });
  return messages.flatMap((message) => [...reader.read(message)]);
}

const types = (events: readonly AnswerEvent[]) => events.map(({ type }) => type);

describe("MessageReader", () => {
  it("makes events of a message that was not streamed", () => {
    const thinking = { type: "thinking", thinking: "Hm.", signature: "sig" };
    const events = read([assistant("a", thinking), assistant("a", { type: "text", text: "Hi." })]);
    expect(events).toEqual([
      { type: "start", message: { id: expect.stringMatching(/^msg_/), model: "m", usage: USAGE } },
      { type: "block_start", index: 0, block: { type: "thinking", thinking: "", signature: "" } },
      { type: "block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
      { type: "block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
      { type: "block_stop", index: 0 },
      { type: "block_start", index: 1, block: { type: "text", text: "" } },
      { type: "block_delta", index: 1, delta: { type: "text_delta", text: "Hi." } },
      { type: "block_stop", index: 1 },
    ]);
  });

  it("takes a message with the stop reason null for one that was cut off, and estimates its tokens", () => {
    const reader = new MessageReader({ shows: () => true, isHeld: false });
    const text = "x".repeat(400);
    const messages = [start("a"), textStart(0), textDelta(0, text), blockStop(0), ...ended(null)];
    for (const message of messages) Array.from(reader.read(message));
    expect(reader.end).toBeUndefined();
    expect(reader.usage?.output_tokens).toBe(100);
  });

  it("adds up the tokens of all messages, because an agent pays for each of its rounds", () => {
    const reader = new MessageReader({ shows: () => true, isHeld: false });
    const messages = [start("a"), ...ended("tool_use"), start("b"), textDelta(0, "12345678")];
    for (const message of messages) Array.from(reader.read(message));
    expect(reader.usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
    expect(reader.usageOfAll).toMatchObject({ input_tokens: 6, output_tokens: 11 });
  });

  it("does not show the whole block of a message that was streamed", () => {
    const events = read([
      start("a"),
      textStart(0),
      textDelta(0, "Hi."),
      assistant("a", { type: "text", text: "Hi." }),
      blockStop(0),
      ...ended("end_turn"),
    ]);
    expect(types(events)).toEqual(["start", "block_start", "block_delta", "block_stop"]);
  });

  it("numbers the shown blocks of several messages without gaps, and starts once", () => {
    const hidden = { type: "tool_use", id: "t", name: "Bash", input: {} };
    const events = read([
      start("a"),
      event({ type: "content_block_start", index: 0, content_block: hidden }),
      blockStop(0),
      textStart(1),
      blockStop(1),
      ...ended("tool_use"),
      start("b"),
      textStart(0),
      blockStop(0),
      ...ended("end_turn"),
    ]);
    expect(events.map((each) => ("index" in each ? each.index : each.type))).toEqual([
      "start",
      0,
      0,
      1,
      1,
    ]);
  });

  it("throws api_error if the CLI begins anew after a part was shown", () => {
    const broken = [
      start("a"),
      textStart(0),
      textDelta(0, "Ha"),
      blockStop(0),
      event({ type: "message_stop" }),
    ];
    expect(() => read([...broken, start("b")])).toThrow(
      expect.objectContaining({ code: "api_error" }),
    );
    expect(() => read([...broken, assistant("b", { type: "text", text: "Hallo" })])).toThrow();
  });

  it("goes on if the CLI begins anew before a block was shown", () => {
    const events = read([start("a"), start("b"), textStart(0), blockStop(0), ...ended("end_turn")]);
    expect(types(events)).toEqual(["start", "block_start", "block_stop"]);
  });

  it("forgets a message that broke off if its blocks are held", () => {
    const broken = [
      start("a"),
      textStart(0),
      textDelta(0, "Ha"),
      blockStop(0),
      event({ type: "message_stop" }),
    ];
    const events = read([...broken, assistant("b", { type: "text", text: "Hallo" })], true);
    expect(events.slice(1)).toEqual([
      { type: "block_start", index: 0, block: { type: "text", text: "" } },
      { type: "block_delta", index: 0, delta: { type: "text_delta", text: "Hallo" } },
      { type: "block_stop", index: 0 },
    ]);
  });

  it("counts the tokens of a message that is not whole by its characters", () => {
    const reader = new MessageReader({ shows: () => true, isHeld: false });
    for (const message of [start("a"), textStart(0), textDelta(0, "x".repeat(40))]) {
      for (const _ of reader.read(message));
    }
    expect(reader.usage).toEqual({ input_tokens: 3, output_tokens: 10 });
    for (const message of ended("end_turn")) for (const _ of reader.read(message));
    expect(reader.usage).toEqual({ input_tokens: 3, output_tokens: 9 });
    expect(reader.end?.stopReason).toBe("end_turn");
  });
});
