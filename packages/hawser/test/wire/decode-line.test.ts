import { describe, expect, it } from "vitest";
import { createMask, HawserError, isHawserError } from "../../src/base/index.js";
import { decodeLine, type Frame } from "../../src/wire/index.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";

function corruption(frame: Frame): { kind: string; text: string; code: string; message: string } {
  if (frame.kind !== "corrupt") throw new Error(`not corrupt but ${frame.kind}`);
  const { kind, text, error } = frame;
  return { kind, text, code: error.code, message: error.message };
}

describe("decodeLine()", () => {
  it("decodes a JSON object, with or without blanks and a CR around it", () => {
    const message = { type: "keep_alive" };
    expect(decodeLine('{"type":"keep_alive"}')).toEqual({ kind: "message", message, size: 21 });
    expect(decodeLine(' \t{"type":"keep_alive"} \r')).toEqual({
      kind: "message",
      message,
      size: 25,
    });
  });

  it("decodes objects of an unknown type or without a type", () => {
    for (const message of [{ type: "brand_new", x: [1] }, { type: 7 }, {}, { a: { type: "b" } }]) {
      const line = JSON.stringify(message);
      expect(decodeLine(line)).toEqual({ kind: "message", message, size: line.length });
    }
  });

  it.each(["", " ", "warning: x", "null", "42", '"text"', "[1]", "\0{}", "\uFEFF{}", "}"])(
    "reports %j as noise",
    (line) => {
      expect(decodeLine(line)).toEqual({ kind: "noise", text: line });
    },
  );

  it("reports noise without its CR", () => {
    expect(decodeLine("npm warn\r")).toEqual({ kind: "noise", text: "npm warn" });
  });

  it.each(["{", "{x", '{"a":1}}', '{"a":"\0"}', '{"type":"result"', "{} trailing"])(
    "reports %j as corrupt",
    (line) => {
      expect(corruption(decodeLine(line))).toEqual({
        kind: "corrupt",
        text: line,
        code: "protocol_error",
        message: `A line that begins like a message is not JSON: ${line}`,
      });
    },
  );

  it("decodes an unterminated last line if it is complete, and reports it as corrupt otherwise", () => {
    const whole = { kind: "message", message: { type: "result" }, size: 17 };
    expect(decodeLine({ kind: "broken", text: '{"type":"result"}' })).toEqual(whole);
    expect(decodeLine('{"type":"result"}', true)).toEqual(whole);
    expect(decodeLine({ kind: "broken", text: "bye" })).toEqual({ kind: "noise", text: "bye" });
    const cut = {
      kind: "corrupt",
      text: '{"type":"res',
      code: "protocol_error",
      message: 'The output ended in the middle of a message: {"type":"res',
    };
    expect(corruption(decodeLine({ kind: "broken", text: '{"type":"res' }))).toEqual(cut);
    expect(corruption(decodeLine('{"type":"res', true))).toEqual(cut);
  });

  it("reports the length of a line over the limit", () => {
    expect(corruption(decodeLine({ kind: "overlong", bytes: 70_000_000 }))).toEqual({
      kind: "corrupt",
      text: "[a line of 70000000 bytes]",
      code: "message_too_large",
      message: "A message of 70000000 bytes is longer than `maxLineBytes` and was dropped.",
    });
  });

  it("shows 200 characters of a corrupt line, and keeps the whole line aside", () => {
    const line = `{${"x".repeat(1000)}`;
    const { text, message } = corruption(decodeLine(line));
    expect(text).toBe(line);
    expect(message).toBe(`A line that begins like a message is not JSON: {${"x".repeat(199)}…`);
  });

  it("shows no part of a secret, also if it crosses the end of the shown part", () => {
    const secret = "correct-horse-battery-staple";
    const mask = createMask({}, [secret]);
    for (let at = 0; at < 220; at++) {
      const frame = decodeLine(`{${"x".repeat(at)}${secret}`, false, mask);
      expect(corruption(frame).message).not.toContain("corr");
    }
  });

  it("never throws for text", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string().map((text) => `{${text}`),
    );
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, unterminated) => {
        const frame = decodeLine(text, unterminated);
        if (frame.kind === "corrupt") expect(isHawserError(frame.error)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("never throws for JSON, and returns every object", () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const value: unknown = JSON.parse(json);
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        expect(decodeLine(json)).toEqual(
          isObject
            ? { kind: "message", message: value, size: json.length }
            : { kind: "noise", text: json },
        );
      }),
    );
  });

  it("decodes deeply nested objects", () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect(decodeLine(deep).kind).toBe("message");
    expect(corruption(decodeLine(deep.slice(0, -1))).code).toBe("protocol_error");
  });

  it("reports errors as HawserError", () => {
    const frame = decodeLine("{");
    expect(frame.kind === "corrupt" && frame.error).toBeInstanceOf(HawserError);
  });
});
