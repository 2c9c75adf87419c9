import { describe, expect, it } from "vitest";
import { MessageStream } from "../../src/session/turns/message-stream.js";
import type { Message } from "../../src/wire/index.js";

const MB = 1024 * 1024;
const OWNER = {};

type Delta = "text" | "partial_json" | "thinking";

const TYPE = { text: "text_delta", partial_json: "input_json_delta", thinking: "thinking_delta" };

function piece(text: string, field: Delta = "text", index = 0, parent: string | null = null) {
  const delta = { type: TYPE[field], [field]: text };
  const event = { type: "content_block_delta", index, delta };
  return { type: "stream_event", event, parent_tool_use_id: parent } as unknown as Message;
}

function line(name: string): Message {
  return { type: name } as unknown as Message;
}

/** What is queued by now; the stream is ended first. */
async function rest(stream: MessageStream): Promise<Message[]> {
  stream.end();
  return all(stream.read(OWNER));
}

async function all(messages: AsyncIterable<Message>): Promise<Message[]> {
  const seen: Message[] = [];
  for await (const message of messages) seen.push(message);
  return seen;
}

const coalesced = (count: number) => ({ type: "hawser", subtype: "coalesced", count });

describe("MessageStream", () => {
  it("yields every message unchanged while the reader keeps up", async () => {
    const stream = new MessageStream();
    const messages = [piece("a"), piece("b"), line("assistant"), piece("c")];
    for (const message of messages) stream.push(message, MB);
    expect(await rest(stream)).toEqual(messages);
  });

  it.each(["text", "partial_json", "thinking"] as const)(
    "joins pieces of %s once the reader is behind, and says so in front of them",
    async (field) => {
      const stream = new MessageStream();
      stream.push(line("big"), 9 * MB);
      for (const text of ["a", "b", "c", "d"]) stream.push(piece(text, field), 300);
      stream.push(line("assistant"), 300);
      for (const text of ["e", "f"]) stream.push(piece(text, field), 300);
      expect(await rest(stream)).toEqual([
        line("big"),
        coalesced(3),
        piece("abcd", field),
        line("assistant"),
        coalesced(1),
        piece("ef", field),
      ]);
    },
  );

  it("joins only pieces of the same kind, block and sub-agent", async () => {
    const stream = new MessageStream();
    const apart = [
      line("big"),
      piece("a"),
      piece("b", "thinking"),
      piece("c", "thinking", 1),
      piece("d", "thinking", 1, "agent-1"),
      piece("e", "thinking", 1, "agent-2"),
      { type: "stream_event", event: { type: "content_block_stop", index: 1 } } as Message,
      piece("f", "thinking", 1, "agent-2"),
      { type: "stream_event" } as Message,
      { type: "stream_event", event: { type: "content_block_delta", index: 1 } } as Message,
      {
        type: "stream_event",
        event: { type: "content_block_delta", delta: null },
      } as unknown as Message,
    ];
    for (const [i, message] of apart.entries()) stream.push(message, i === 0 ? 9 * MB : 300);
    expect(await rest(stream)).toEqual(apart);
  });

  it("counts every joined piece in a notice, also after an earlier notice was read", async () => {
    const stream = new MessageStream();
    const reader = stream.read(OWNER);
    stream.push(line("big"), 9 * MB);
    for (const text of ["a", "b"]) stream.push(piece(text), 300);
    stream.push(line("bigger"), 9 * MB);
    const seen = [await reader.next(), await reader.next(), await reader.next()];
    for (const text of ["c", "d", "e"]) stream.push(piece(text), 300);
    expect(seen.map(({ value }) => value)).toEqual([line("big"), coalesced(1), piece("ab")]);
    stream.end();
    expect(await all(reader)).toEqual([line("bigger"), coalesced(2), piece("cde")]);
  });

  it("yields single pieces again when the reader has caught up", async () => {
    const stream = new MessageStream();
    const reader = stream.read(OWNER);
    stream.push(line("big"), 9 * MB);
    for (const text of ["a", "b"]) stream.push(piece(text), 300);
    await reader.next();
    for (const text of ["c", "d"]) stream.push(piece(text), 300);
    stream.end();
    expect(await all(reader)).toEqual([coalesced(1), piece("ab"), piece("c"), piece("d")]);
  });

  it("drops unread messages beyond the second mark, and reports how many", async () => {
    const full: boolean[] = [];
    const stream = new MessageStream({ onFull: (each) => full.push(each) });
    for (let i = 0; i < 70; i++) stream.push(line(`a${i}`), MB);
    for (let i = 0; i < 70; i++) stream.push(line(`b${i}`), MB);
    const [dropped, ...kept] = await rest(stream);
    expect(dropped).toEqual({
      type: "hawser",
      subtype: "dropped",
      count: 140 - kept.length,
      bytes: (140 - kept.length) * MB,
    });
    expect(kept).toEqual(Array.from({ length: 11 }, (_, i) => line(`b${59 + i}`)));
    expect(full).toEqual([]);
  });

  it("lets a reader leave at the dropped notice", async () => {
    const left: string[] = [];
    const stream = new MessageStream({}, () => left.push("left"));
    for (let i = 0; i < 70; i++) stream.push(line("x"), MB);
    for await (const message of stream.read(OWNER)) {
      expect(message).toMatchObject({ subtype: "dropped" });
      break;
    }
    expect(left).toEqual(["left"]);
  });

  it("pauses when the reader is too far behind, with a notice, and resumes when it has read", async () => {
    const full: boolean[] = [];
    const stream = new MessageStream({ onFull: (each) => full.push(each) });
    const reader = stream.read(OWNER);
    for (let i = 0; i < 65; i++) stream.push(line(`${i}`), MB);
    expect(full).toEqual([true]);
    const seen: Message[] = [];
    while (full.length < 2) seen.push((await reader.next()).value);
    expect(full).toEqual([true, false]);
    expect(seen).toHaveLength(50);
    stream.end();
    seen.push(...(await all(reader)));
    expect(seen).toEqual([
      ...Array.from({ length: 65 }, (_, i) => line(`${i}`)),
      { type: "hawser", subtype: "paused", bytes: 65 * MB },
    ]);
  });

  it("counts joined pieces by their memory, so that small pieces cannot pile up", () => {
    const full: boolean[] = [];
    const stream = new MessageStream({ onFull: (each) => full.push(each) });
    stream.read(OWNER);
    stream.push(line("big"), 60 * MB);
    let count = 0;
    for (; full.length === 0 && count < MB; count++) stream.push(piece("x"), 300);
    expect(count).toBeLessThan(100_000);
  });

  it("resumes when a reader leaves that was too far behind", async () => {
    const full: boolean[] = [];
    const stream = new MessageStream({ onFull: (each) => full.push(each) });
    const reader = stream.read(OWNER);
    for (let i = 0; i < 65; i++) stream.push(line("x"), MB);
    await reader.return?.();
    for (let i = 0; i < 65; i++) stream.push(line("x"), MB);
    expect(full).toEqual([true, false]);
  });

  it("reports a waiting reader only on change, also when a reader leaves that does not wait", async () => {
    const waiting: boolean[] = [];
    const stream = new MessageStream({ onWaiting: (each) => waiting.push(each) });
    const reader = stream.read(OWNER);
    stream.push(line("a"), 1);
    await reader.next();
    expect(waiting).toEqual([]);
    const next = reader.next();
    expect(waiting).toEqual([true]);
    stream.push(line("b"), 1);
    await next;
    expect(waiting).toEqual([true, false]);
    await reader.return?.();
    expect(waiting).toEqual([true, false]);
  });

  it("has one reader, which gets the error last", async () => {
    const stream = new MessageStream();
    const reader = stream.read(OWNER);
    expect(() => stream.read(OWNER)).toThrow(expect.objectContaining({ code: "already_consumed" }));
    stream.push(line("a"), 1);
    stream.end(new Error("the end"));
    expect(await reader.next()).toEqual({ done: false, value: line("a") });
    await expect(reader.next()).rejects.toThrow("the end");
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});
