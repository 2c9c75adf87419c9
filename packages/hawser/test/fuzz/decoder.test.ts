import { describe, expect, it } from "vitest";
import { isHawserError } from "../../src/base/index.js";
import { decodeLine, type Frame, LineFramer } from "../../src/wire/index.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";

const good = fc.tuple(fc.nat(), fc.json({ maxDepth: 3 })).map(([n, json]) => ({
  good: `{"type":"good","n":${n},"value":${json}}`,
}));

/** Lines that are no message, or no message that a CLI would send. None has an LF. */
const bad = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes.filter((each) => each !== 10))),
  fc
    .string({ unit: "binary", maxLength: 40 })
    .map((text) => Buffer.from(text.replaceAll("\n", ""))),
  good.chain(({ good: line }) => {
    const bytes = Buffer.from(line);
    return fc.nat({ max: bytes.length - 1 }).map((end) => bytes.subarray(0, end));
  }),
  fc.tuple(good, fc.nat(), fc.nat({ max: 255 })).map(([{ good: line }, at, byte]) => {
    const bytes = Buffer.from(line);
    bytes[at % bytes.length] = byte === 10 ? 0 : byte;
    return bytes;
  }),
  fc
    .constantFrom(
      "\uFEFF{}",
      "\0\0\0",
      "{\0}",
      "\r",
      "[1]",
      "null",
      '"text"',
      '{"a":"\uD800"}',
      '{"a":"\\ud800"}',
      '{"n":1e999,"m":-1e999,"k":123456789012345678901234567890}',
      '{"a":1,"a":2,"type":"x","type":"y"}',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      '{"toString":1,"then":{}}',
      `${'{"a":['.repeat(10_000)}1${"]}".repeat(10_000)}`,
      `${'{"a":['.repeat(10_000)}`,
      `{"a":"${"x".repeat(70_000)}"}`,
    )
    .map((text) => Buffer.from(text)),
  fc
    .constantFrom([0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x99], [0xff, 0xfe])
    .map((bytes) => Buffer.from([0x7b, 0x22, ...bytes])),
);

const document = fc.array(fc.oneof(good, bad), { maxLength: 30 });
const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 });
const lineEnd = fc.constantFrom("\n", "\r\n");

function framesOf(bytes: Buffer, cuts: readonly number[]): Frame[] {
  const framer = new LineFramer();
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = cuts[turn % cuts.length] ?? 1;
    frames.push(...framer.push(bytes.subarray(at, at + size)).map((line) => decodeLine(line)));
    at += size;
  }
  return [...frames, ...framer.end().map((line) => decodeLine(line))];
}

describe("LineFramer and decodeLine() with random bytes in random chunks", () => {
  it("yield every valid line between them, in order and unchanged", () => {
    fc.assert(
      fc.property(document, sizes, lineEnd, (lines, cuts, end) => {
        const parts = lines.flatMap((line) => [
          Buffer.isBuffer(line) ? line : Buffer.from(line.good),
          Buffer.from(end),
        ]);
        const frames = framesOf(Buffer.concat(parts), cuts);
        const messages = frames.flatMap((frame) =>
          frame.kind === "message" && (frame.message.type as string) === "good"
            ? [frame.message]
            : [],
        );
        const expected = lines.flatMap((line) =>
          Buffer.isBuffer(line) ? [] : [JSON.parse(line.good) as unknown],
        );
        const among = new Set(expected.map((each) => JSON.stringify(each)));
        // A mutated line may still be valid.
        const kept = messages.filter((each) => among.has(JSON.stringify(each)));
        expect(kept).toEqual(expect.arrayContaining(expected));
        expect(inOrder(kept, expected)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it("yield only frames of the three kinds, with a HawserError for a corrupt line", () => {
    fc.assert(
      fc.property(document, sizes, (lines, cuts) => {
        const parts = lines.map((line) => (Buffer.isBuffer(line) ? line : Buffer.from(line.good)));
        for (const frame of framesOf(Buffer.concat(parts), cuts)) {
          if (frame.kind === "corrupt") expect(isHawserError(frame.error)).toBe(true);
          else if (frame.kind === "message") expect(typeof frame.message).toBe("object");
          else expect(frame).toEqual({ kind: "noise", text: expect.any(String) as string });
        }
        expect(Reflect.get({}, "polluted")).toBeUndefined();
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });

  it("keep __proto__ an ordinary key", () => {
    const frame = decodeLine('{"type":"x","__proto__":{"polluted":1}}');
    if (frame.kind !== "message") throw new Error(frame.kind);
    expect(Object.keys(frame.message)).toEqual(["type", "__proto__"]);
    expect(Object.getPrototypeOf(frame.message)).toBe(Object.prototype);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

function inOrder(all: readonly unknown[], part: readonly unknown[]): boolean {
  const texts = all.map((each) => JSON.stringify(each));
  let at = 0;
  for (const each of part) {
    at = texts.indexOf(JSON.stringify(each), at) + 1;
    if (at === 0) return false;
  }
  return true;
}
