import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Frame, FrameDecoder, type ReceivedFrame } from "../../src/wire/index.js";

interface Piece {
  readonly text: string;
  readonly field?: "text" | "thinking" | "partial_json";
  readonly index?: number;
  readonly parent?: string | null;
  readonly uuid?: string;
}

/** The message of a piece, with its keys in the order of the CLI. */
function piece({ text, field = "text", index = 0, parent = null, uuid = "u-1" }: Piece) {
  return {
    type: "stream_event",
    event: { type: "content_block_delta", index, delta: { type: "delta", [field]: text } },
    session_id: "s",
    parent_tool_use_id: parent,
    uuid,
    api_message_id: "msg_01",
  };
}

function lines(messages: readonly object[]): Buffer {
  return Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
}

function eventsIn(frames: readonly ReceivedFrame[]): unknown[] {
  return frames.flatMap<unknown>((frame) => (frame.kind === "events" ? frame.events : [frame]));
}

/** Decodes the lines until their shapes are known, and says how often JSON.parse was called after that. */
function decodeAgain(messages: readonly object[]): { parsed: number; events: unknown[] } {
  const decoder = new FrameDecoder();
  const output = lines(messages);
  for (let pass = 0; pass < 2; pass++) decoder.push(output);
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const frames = decoder.push(output);
  return { parsed: parse.mock.calls.length, events: eventsIn(frames) };
}

describe("FrameDecoder", () => {
  it("puts events that arrive together into one batch, and any other message between two batches", () => {
    const result = { type: "result" };
    const [a, b, c, d] = ["a", "b", "c", "d"].map((text) => piece({ text }));
    const all = [a, b, result, c, d] as object[];
    const frames = new FrameDecoder().push(lines(all));
    const sizes = all.map((message) => JSON.stringify(message).length) as [number, number];
    expect(frames).toEqual([
      { kind: "events", events: [a, b], size: 2 * sizes[0] },
      { kind: "message", message: result, size: JSON.stringify(result).length },
      { kind: "events", events: [c, d], size: 2 * sizes[1] },
    ]);
  });

  it.each(["text", "thinking", "partial_json"] as const)(
    "decodes pieces of %s without JSON.parse once it knows their shape",
    (field) => {
      const messages = Array.from({ length: 50 }, (_, i) =>
        piece({ text: `piece ${i}`, field, uuid: `u-${i}` }),
      );
      const { parsed, events } = decodeAgain(messages);
      expect(events).toEqual(messages);
      expect(JSON.stringify(events)).toBe(JSON.stringify(messages));
      expect(parsed).toBe(0);
    },
  );

  it("parses only the piece where it has escape sequences or other characters than ASCII", () => {
    const messages = ['{"a":"b\\n', "é—🙂", "\u2028\ud800", "\\"].map((text) => piece({ text }));
    const { events } = decodeAgain(messages);
    expect(events).toEqual(messages);
    const parsed = vi.mocked(JSON.parse).mock.calls.map(([text]) => text);
    expect(parsed.every((text) => text.startsWith('"'))).toBe(true);
  });

  it("knows the shapes of several blocks and sub-agents at once", () => {
    const messages = Array.from({ length: 60 }, (_, i) =>
      piece({ text: "x", index: i % 3, parent: i % 2 === 0 ? null : "toolu_1" }),
    );
    const { parsed, events } = decodeAgain(messages);
    expect(events).toEqual(messages);
    expect(parsed).toBe(0);
  });

  it("learns new shapes without end, and keeps on parsing lines that never come again", () => {
    const decoder = new FrameDecoder();
    const messages = Array.from({ length: 300 }, (_, i) => piece({ text: "x", index: i }));
    expect(eventsIn(decoder.push(lines(messages)))).toEqual(messages);
    const later = Array.from({ length: 40 }, () => piece({ text: "y", index: 1000 }));
    expect(eventsIn(decoder.push(lines(later)))).toEqual(later);
  });

  it("gives every event its own objects", () => {
    const decoder = new FrameDecoder();
    const message = piece({ text: "x" });
    const events = eventsIn(decoder.push(lines(Array.from({ length: 5 }, () => message))));
    for (const event of events as { event: { delta: { text: string } } }[]) {
      expect(event.event.delta.text).toBe("x");
      event.event.delta.text = "changed";
      Object.assign(event.event, { index: 7 });
      Object.assign(event, { session_id: "changed" });
    }
    expect(eventsIn(decoder.push(lines([message])))).toEqual([message]);
  });

  it("decodes a line that comes alone like a line among others", () => {
    const long = { type: "user", text: "x".repeat(5000) };
    const messages = [piece({ text: "x" }), piece({ text: "é—🙂" }), { type: "result" }, long];
    const texts = [...messages.map((message) => JSON.stringify(message)), '{"a":1}\r', '{"a', ""];
    const alone = new FrameDecoder();
    const frames = texts.flatMap((text) => alone.push(Buffer.from(`${text}\n`)));
    const together = new FrameDecoder().push(Buffer.from(`${texts.join("\n")}\n`));
    expect(eventsIn(frames)).toEqual(eventsIn(together));
    expect(frames.map(({ kind }) => kind)).toEqual([
      "events",
      "events",
      "message",
      "message",
      "message",
      "corrupt",
    ]);
  });

  it("reads arrays of bytes that are no Buffer", () => {
    const messages = [piece({ text: "x" }), { type: "result" }];
    const decoder = new FrameDecoder();
    const frames = messages.flatMap((each) => decoder.push(Uint8Array.from(lines([each]))));
    expect(frames.map(({ kind }) => kind)).toEqual(["events", "message"]);
    const both = decoder.push(Uint8Array.from(lines(messages)));
    expect(both.map(({ kind }) => kind)).toEqual(["events", "message"]);
  });

  it("reads the first bytes of a buffer if it is told how many", () => {
    const buffer = Buffer.alloc(4096, "\n");
    const output = [piece({ text: "x" })];
    const length = lines(output).copy(buffer);
    const decoder = new FrameDecoder();
    expect(eventsIn(decoder.push(buffer, length - 1))).toEqual([]);
    expect(eventsIn(decoder.push(Buffer.from("\n")))).toEqual(output);
    expect(eventsIn(decoder.push(buffer, length))).toEqual(output);
  });

  it("drops an event over the limit like any other line", () => {
    const short = piece({ text: "x" });
    const long = piece({ text: "x".repeat(100) });
    const limit = JSON.stringify(short).length + 20;
    const decoder = new FrameDecoder({ maxLineBytes: limit });
    const frames = [...decoder.push(lines([short, short])), ...decoder.push(lines([long, short]))];
    expect(frames.map(({ kind }) => kind)).toEqual(["events", "corrupt", "events"]);
    expect(frames[1]).toMatchObject({ error: { code: "message_too_large" } });
    const [alone] = decoder.push(lines([long]));
    expect(alone).toMatchObject({ error: { code: "message_too_large" } });
  });

  it("continues an event whose line is split between chunks, at any byte", () => {
    const messages = ["one", "twö", "three"].map((text) => piece({ text }));
    const output = lines([...messages, ...messages]);
    for (let at = 1; at < output.length; at++) {
      const decoder = new FrameDecoder();
      const frames = [
        ...decoder.push(output.subarray(0, at)),
        ...decoder.push(output.subarray(at)),
        ...decoder.end(),
      ];
      expect(eventsIn(frames)).toEqual([...messages, ...messages]);
    }
  });

  it("shows the text of every line to `onLine`, also of lines whose shape is known", () => {
    const seen: [Frame["kind"], string][] = [];
    const decoder = new FrameDecoder({
      maxLineBytes: 1000,
      onLine: (kind, text) => seen.push([kind, text]),
    });
    const message = piece({ text: "x" });
    const output = [
      lines([message, message]),
      lines([message]),
      "noise\n",
      "x".repeat(1001),
      "\n",
      "{",
    ];
    for (const chunk of output) decoder.push(Buffer.from(chunk));
    decoder.end();
    const line = JSON.stringify(message);
    expect(seen).toEqual([
      ["message", line],
      ["message", line],
      ["message", line],
      ["noise", "noise"],
      ["corrupt", "[a line of 1001 bytes]"],
      ["corrupt", "{"],
    ]);
  });
});
