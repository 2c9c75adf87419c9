import { describe, expect, it } from "vitest";
import { type FramedLine, LineFramer } from "../../src/wire/index.js";
import { fc } from "../support/fc.js";
import { runs } from "../support/runs.js";

const LF = 0x0a;

/** The lines of `bytes`, computed in the simplest way. */
function expected(bytes: Buffer, limit: number = Number.POSITIVE_INFINITY): FramedLine[] {
  const lines: FramedLine[] = [];
  for (let start = 0; start <= bytes.length; ) {
    const next = bytes.indexOf(LF, start);
    const end = next < 0 ? bytes.length : next;
    const text = bytes.toString("utf8", start, end);
    if (end - start > limit) lines.push({ kind: "overlong", bytes: end - start });
    else if (!/^[ \t\r]*$/.test(text)) lines.push(next < 0 ? { kind: "broken", text } : text);
    start = end + 1;
  }
  return lines;
}

function frame(chunks: Iterable<Uint8Array>, maxLineBytes?: number): FramedLine[] {
  const framer = new LineFramer({ maxLineBytes });
  const lines: FramedLine[] = [];
  for (const chunk of chunks) lines.push(...framer.push(chunk));
  return [...lines, ...framer.end()];
}

function* chunksOf(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Cuts `bytes` into chunks of these sizes, over and over. */
function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Line ends, blanks, text of every width, and bytes that are no UTF-8. */
const anyBytes: fc.Arbitrary<Buffer> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("\n", "\r\n", "\n\n", " ", "\t", "\0", "\r") },
      {
        weight: 3,
        arbitrary: fc.constantFrom("é", "€", "日本", "🙂", "\u2028", "\u2029", "\u0085"),
      },
      { weight: 3, arbitrary: fc.string({ maxLength: 30 }) },
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 6 }) },
      { weight: 1, arbitrary: fc.integer({ min: 900, max: 2100 }).map((n) => "x".repeat(n)) },
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const anySizes = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 8 });

describe("LineFramer", () => {
  it("yields the same lines however the bytes are split", () => {
    fc.assert(
      fc.property(anyBytes, anySizes, (bytes, sizes) => {
        expect(frame(cut(bytes, sizes))).toEqual(expected(bytes));
      }),
      { numRuns: runs(500) },
    );
  });

  it("yields the same lines for single bytes and for all bytes at once", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(frame(chunksOf(bytes, 1))).toEqual(expected(bytes));
        expect(frame([bytes])).toEqual(expected(bytes));
      }),
    );
  });

  it("drops the same lines over the limit however the bytes are split", () => {
    fc.assert(
      fc.property(anyBytes, anySizes, fc.integer({ min: 0, max: 40 }), (bytes, sizes, limit) => {
        expect(frame(cut(bytes, sizes), limit)).toEqual(expected(bytes, limit));
      }),
      { numRuns: runs(500) },
    );
  });

  it("splits at LF only, and leaves a CR to the decoder", () => {
    const text = '{"a":"\u2028\u2029\u0085"}\r\n{"b":"\v\f\0"}\n';
    expect(frame([Buffer.from(text)])).toEqual(['{"a":"\u2028\u2029\u0085"}\r', '{"b":"\v\f\0"}']);
  });

  it("skips blank lines", () => {
    expect(frame([Buffer.from("\n\r\n \t\r\na\n\n\nb\n\n")])).toEqual(["a", "b"]);
    expect(frame([Buffer.from("a\n \r")])).toEqual(["a"]);
  });

  it("yields each line with the chunk that completes it", () => {
    const framer = new LineFramer();
    expect(framer.push(Buffer.from("a\nb"))).toEqual(["a"]);
    expect(framer.push(Buffer.from("c"))).toEqual([]);
    expect(framer.push(Buffer.from(""))).toEqual([]);
    expect(framer.push(Buffer.from("\nd\ne"))).toEqual(["bc", "d"]);
    expect(framer.end()).toEqual([{ kind: "broken", text: "e" }]);
    expect(framer.end()).toEqual([]);
  });

  it("copies the bytes that it keeps, so that a chunk may be reused", () => {
    const framer = new LineFramer();
    const chunk = Buffer.from("abc");
    framer.push(chunk);
    chunk.fill("x");
    expect(framer.push(Buffer.from("d\n"))).toEqual(["abcd"]);
  });

  it("accepts any view of bytes", () => {
    const bytes = new TextEncoder().encode("__é\n__");
    expect(new LineFramer().push(bytes.subarray(2, 5))).toEqual(["é"]);
  });

  it("joins characters that were split between chunks", () => {
    const bytes = Buffer.from("é€🙂\n");
    for (let at = 1; at < bytes.length; at++) {
      expect(frame([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(["é€🙂"]);
    }
  });

  it("replaces invalid UTF-8 by U+FFFD, as the WHATWG decoder does", () => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000 }), anySizes, (noise, sizes) => {
        const line = Buffer.from(noise.map((byte) => (byte === LF ? 0xff : byte)));
        const bytes = Buffer.concat([Buffer.from("{"), line, Buffer.from("\n")]);
        expect(frame(cut(bytes, sizes))).toEqual([`{${decoder.decode(line)}`]);
      }),
    );
  });

  it.each([1, 7, 64])(
    "keeps a line of exactly the limit and drops a line of one byte more: %i",
    (limit) => {
      const fits = "x".repeat(limit);
      const bytes = Buffer.from(`a\n${fits}\n${fits}x\nb\n${fits}x`);
      const lines = ["a", fits, { kind: "overlong", bytes: limit + 1 }, "b"];
      for (let size = 1; size <= bytes.length; size++) {
        expect(frame(chunksOf(bytes, size), limit)).toEqual([
          ...lines,
          { kind: "overlong", bytes: limit + 1 },
        ]);
      }
    },
  );

  it("has a default limit of 64 MiB", () => {
    const limit = 64 * 1024 * 1024;
    const mebibyte = Buffer.alloc(1024 * 1024, "x");
    const framer = new LineFramer();
    for (let sent = 0; sent < limit; sent += mebibyte.length) framer.push(mebibyte);
    expect(framer.push(Buffer.from("\n")).map((line) => (line as string).length)).toEqual([limit]);
    for (let sent = 0; sent < limit; sent += mebibyte.length) framer.push(mebibyte);
    expect(framer.push(Buffer.from("x\nnext\n"))).toEqual([
      { kind: "overlong", bytes: limit + 1 },
      "next",
    ]);
  });

  it("reports a line over the limit once, when its end arrives", () => {
    const framer = new LineFramer({ maxLineBytes: 4 });
    expect(framer.push(Buffer.from("12345"))).toEqual([]);
    expect(framer.push(Buffer.from("6789"))).toEqual([]);
    expect(framer.push(Buffer.from("\nok\n"))).toEqual([{ kind: "overlong", bytes: 9 }, "ok"]);
    expect(framer.end()).toEqual([]);
  });
});

describe("LineFramer with a long line", () => {
  const sizes = [64 * 1024, 1000, 1, 700_001];
  /** Longer than the largest block, so that characters lie across the end of a block. */
  const LONG = 4_300_000;

  it.each(["x", "é", "€", "🙂", "abc—", "\u2028"])("preserves a line of %j", (unit) => {
    for (let shift = 0; shift < 4; shift++) {
      const line = "x".repeat(shift) + unit.repeat(Math.ceil(LONG / Buffer.byteLength(unit)));
      const bytes = Buffer.from(`${line}\nnext\n`);
      const [long, ...rest] = frame(cut(bytes, sizes));
      // Compared outside of expect: a failure must not print megabytes.
      expect(long === line).toBe(true);
      expect(rest).toEqual(["next"]);
    }
  });

  it("preserves a line of random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1000, maxLength: 5000 }), (noise) => {
        const part = Buffer.from(noise.map((byte) => (byte === LF ? 0x80 : byte)));
        const parts = Math.ceil(LONG / part.length);
        const line = Buffer.concat(Array.from({ length: parts }, () => part));
        const [long] = frame(cut(line, sizes));
        expect((long as { text: string }).text === line.toString("utf8")).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it.each([1, 16])("copies, decodes and searches chunks of %i byte(s) once", (size) => {
    const line = Buffer.alloc(2 * 1024 * 1024, "abcdefg—");
    const bytes = Buffer.concat([line, Buffer.from("\n")]);
    const work = countWork(() => {
      const lines = frame(chunksOf(bytes, size));
      expect(lines.map((text) => text === line.toString())).toEqual([true]);
    });
    const slack = line.length / 4;
    // The block grows by four times, from 4 KB to 4 MB, and what is in it is copied.
    const grown = (4 + 16 + 64 + 256 + 1024) * 1024;
    expect(work.copied).toBeLessThan(bytes.length + grown + slack);
    // The test itself decodes once.
    expect(work.decoded).toBeLessThan(2 * bytes.length + slack);
    expect(work.searched).toBeLessThan(2 * bytes.length + slack);
  });

  it("frees the line as soon as it exceeds the limit", () => {
    const work = countWork(() => {
      frame(chunksOf(Buffer.alloc(8 * 1024 * 1024, "x"), 4096), 1024 * 1024);
    });
    expect(work.copied).toBeLessThan(3 * 1024 * 1024);
    expect(work.decoded).toBeLessThan(2 * 1024 * 1024);
  });
});

/** How many bytes were copied, decoded and searched. */
function countWork(run: () => void): { copied: number; decoded: number; searched: number } {
  const work = { copied: 0, decoded: 0, searched: 0 };
  const prototype: Buffer = Buffer.prototype;
  const { copy, toString: decode, indexOf, lastIndexOf } = prototype;
  Object.assign(prototype, {
    copy(this: Buffer, target: Buffer, at?: number, from?: number, to?: number) {
      const copied = copy.call(this, target, at, from, to);
      work.copied += copied;
      return copied;
    },
    toString(this: Buffer, encoding?: BufferEncoding, from = 0, to = this.length) {
      work.decoded += to - from;
      return Reflect.apply(decode, this, [encoding, from, to]) as string;
    },
    indexOf(this: Buffer, value: number, from = 0) {
      const found: number = Reflect.apply(indexOf, this, [value, from]);
      work.searched += (found < 0 ? this.length : found + 1) - from;
      return found;
    },
    lastIndexOf(this: Buffer, value: number) {
      const found: number = Reflect.apply(lastIndexOf, this, [value]);
      work.searched += this.length - Math.max(found, 0);
      return found;
    },
  });
  try {
    run();
  } finally {
    Object.assign(prototype, { copy, toString: decode, indexOf, lastIndexOf });
  }
  return work;
}
