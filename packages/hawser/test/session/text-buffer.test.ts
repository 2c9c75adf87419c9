import { describe, expect, it } from "vitest";
import { TextBuffer } from "../../src/session/turns/text-buffer.js";
import { reply } from "../../src/testing/index.js";
import { clisInTurn } from "../support/cli.js";
import { open } from "../support/open-session.js";

async function read(tape: TextBuffer): Promise<string[]> {
  const pieces: string[] = [];
  for await (const piece of tape) pieces.push(piece);
  return pieces;
}

describe("TextBuffer", () => {
  it("gives a late reader the text in one piece", async () => {
    const tape = new TextBuffer();
    for (const text of ["a", "b", "c"]) tape.add(text);
    tape.end();
    expect(await read(tape)).toEqual(["abc"]);
    expect(tape.text).toBe("abc");
  });

  it("gives a reader the text as it is added", async () => {
    const tape = new TextBuffer();
    const reader = tape[Symbol.asyncIterator]();
    for (const text of ["a", "b", "c"]) {
      const next = reader.next();
      tape.add(text);
      expect(await next).toEqual({ done: false, value: text });
    }
    tape.add("d");
    tape.add("e");
    tape.end();
    expect(await reader.next()).toEqual({ done: false, value: "de" });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(tape.text).toBe("abcde");
  });

  it("throws the error after the text", async () => {
    const tape = new TextBuffer();
    tape.add("half");
    tape.end(new Error("cut"));
    tape.end(new Error("later"));
    const reader = tape[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: "half" });
    await expect(reader.next()).rejects.toThrow("cut");
  });

  it("has one reader", () => {
    const tape = new TextBuffer();
    tape[Symbol.asyncIterator]();
    expect(() => tape[Symbol.asyncIterator]()).toThrow(
      expect.objectContaining({ code: "already_consumed" }),
    );
  });

  it("reports once that its reader left early, and drops the unread text", async () => {
    const tape = new TextBuffer();
    let left = 0;
    tape.onLeft = () => {
      left += 1;
    };
    tape.add("a");
    const reader = tape[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: false, value: "a" });
    const waiting = reader.next();
    expect(await reader.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    tape.add("b");
    await reader.return?.();
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect({ left, text: tape.text }).toEqual({ left: 1, text: "ab" });
  });

  it("reports a reader that left before it read anything", async () => {
    const tape = new TextBuffer();
    let left = 0;
    tape.onLeft = () => {
      left += 1;
    };
    await tape[Symbol.asyncIterator]().return?.();
    expect(left).toBe(1);
  });

  it("reports no early leave after the end", async () => {
    const tape = new TextBuffer();
    tape.onLeft = () => expect.unreachable();
    tape.add("a");
    tape.end();
    for await (const _ of tape) break;
  });

  it("needs constant time per piece", async () => {
    const tape = new TextBuffer();
    const reader = tape[Symbol.asyncIterator]();
    const started = performance.now();
    let length = 0;
    for (let i = 0; i < 100_000; i++) {
      tape.add("twenty characters!!!");
      const { value } = await reader.next();
      length += String(value).length;
      // Somebody looks at each piece, as a program that prints it does.
      if (!String(value).endsWith("!")) throw new Error("cut");
    }
    expect(length).toBe(2_000_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe.each(clisInTurn())("Turn.textStream on $name", ({ path }) => {
  it("interrupts the turn when its reader leaves early, and the session continues", async () => {
    const slow = reply("one two three four five", { chunks: 20, chunkDelayMs: 60_000 });
    const { session } = await open(path, [slow, "the next"], { includePartialMessages: true });
    const turn = session.send("go");
    const pieces: string[] = [];
    for await (const piece of turn.textStream) {
      pieces.push(piece);
      break;
    }
    expect(pieces.join("")).not.toBe("");
    expect(await turn.result).toMatchObject({ terminal_reason: "aborted_streaming" });
    expect(await session.send("and?").text()).toBe("the next");
  });
});
