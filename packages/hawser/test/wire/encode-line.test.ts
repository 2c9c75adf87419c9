import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import {
  decodeLine,
  encodeLine,
  type Frame,
  LineFramer,
  type Outbound,
} from "../../src/wire/index.js";
import { fc } from "../support/fc.js";

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

function transmit(lines: readonly string[], chunkSize: number): Frame[] {
  const bytes = Buffer.from(lines.join(""));
  const framer = new LineFramer();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) {
    const chunk = bytes.subarray(at, at + chunkSize);
    frames.push(...framer.push(chunk).map((line) => decodeLine(line)));
  }
  return [...frames, ...framer.end().map((line) => decodeLine(line))];
}

describe("encodeLine()", () => {
  it("writes one line of JSON", () => {
    expect(encodeLine({ type: "keep_alive" })).toBe('{"type":"keep_alive"}\n');
  });

  it("writes no character that a reader could take for the end of a line", () => {
    const content = "a\nb\rc\u2028d\u2029e\\u2028";
    const line = encodeLine({ type: "user", message: { role: "user", content } });
    expect(line).toBe(
      '{"type":"user","message":{"role":"user","content":"a\\nb\\rc\\u2028d\\u2029e\\\\u2028"}}\n',
    );
    expect(JSON.parse(line)).toEqual({ type: "user", message: { role: "user", content } });
  });

  it("escapes lone surrogates", () => {
    const message = { role: "user", content: "\ud800 \udc00" } as const;
    expect(JSON.parse(encodeLine({ type: "user", message }))).toEqual({ type: "user", message });
  });

  it("is decoded to the original, however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), { maxLength: 5 }),
        fc.integer({ min: 1, max: 100 }),
        (bodies, chunkSize) => {
          // Values that JSON itself changes (-0) do not matter here.
          const sent = bodies.map((body) => JSON.parse(JSON.stringify({ ...body, type: "user" })));
          const frames = transmit(
            sent.map((message: Outbound) => encodeLine(message)),
            chunkSize,
          );
          expect(frames).toEqual(
            sent.map((message) => ({
              kind: "message",
              message,
              size: encodeLine(message).length - 1,
            })),
          );
        },
      ),
    );
  });

  it("throws invalid_options for values that JSON cannot hold", () => {
    const circular: Record<string, unknown> = { subtype: "x" };
    circular["self"] = circular;
    let deep: Record<string, unknown> = {};
    for (let i = 0; i < 100_000; i++) deep = { deep };
    const throwing = { toJSON: () => JSON.parse("{") as unknown };
    for (const value of [circular, { big: 1n }, deep, throwing, { toJSON: () => undefined }]) {
      const error = thrownBy(() => encodeLine(value as unknown as Outbound));
      expect(isHawserError(error, "invalid_options")).toBe(true);
    }
  });
});
