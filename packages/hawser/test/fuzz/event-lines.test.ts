import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import {
  decodeLine,
  type Frame,
  FrameDecoder,
  LineFramer,
  type ReceivedFrame,
} from "../../src/wire/index.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";
import { Dice, eventLine } from "./event-lines.helper.js";

/** `npm test` decodes ten thousand lines, and `npm run fuzz` a million. */
const LINES = 500;

describe("FrameDecoder with lines of stream events, of which many are spoiled", () => {
  it("gives what JSON.parse gives for each line, in the same order of keys", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const dice = new Dice(seed);
        const output = Buffer.concat(
          Array.from({ length: LINES }, () => [eventLine(dice), LF]).flat(),
        );
        const frames = decode(chunksOf(output, dice)).flatMap(framesIn);
        const expected = parse(output);
        expect(frames.length).toBe(expected.length);
        for (const [i, frame] of frames.entries()) expectSame(frame, expected[i] as Frame);
      }),
      { numRuns: runs(100) },
    );
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

const LF = Buffer.from("\n");

/** Of any size, or with one line each. */
function chunksOf(bytes: Buffer, dice: Dice): Buffer[] {
  const chunks: Buffer[] = [];
  const longest = dice.pick([50, 2000, 70_000, undefined]);
  for (let at = 0; at < bytes.length; ) {
    const end = longest === undefined ? bytes.indexOf(LF, at) + 1 : at + 1 + dice.number(longest);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

/** Every chunk lies in the same memory, as it does where the output is read into one buffer. */
function decode(chunks: readonly Buffer[]): ReceivedFrame[] {
  const memory = Buffer.alloc(200_000);
  const decoder = new FrameDecoder();
  const frames = chunks.flatMap((chunk) => {
    memory.fill(LF);
    chunk.copy(memory);
    return decoder.push(memory, chunk.length);
  });
  memory.fill(0);
  return [...frames, ...decoder.end()];
}

function framesIn(frame: ReceivedFrame): Frame[] {
  if (frame.kind !== "events") return [frame];
  return frame.events.map((message) => ({ kind: "message", message, size: 0 }));
}

function parse(output: Buffer): Frame[] {
  const framer = new LineFramer();
  return [...framer.push(output), ...framer.end()].map((line) => decodeLine(line));
}

function expectSame(frame: Frame, expected: Frame): void {
  const [one, other] = [contentOf(frame), contentOf(expected)];
  // The text shows the order of the keys, which a deep comparison does not.
  if (isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other)) return;
  expect(one).toEqual(other);
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
}

function contentOf(frame: Frame): unknown {
  return frame.kind === "message" ? frame.message : [frame.kind, frame.text];
}
