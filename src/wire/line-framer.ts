import { constants, isAscii } from "node:buffer";
import { textStart } from "./blank.js";

/** One line of output, without its LF. */
export type FramedLine = string | OverlongLine | BrokenLine;

/** A line over the limit: only its length is known. */
export interface OverlongLine {
  readonly kind: "overlong";
  readonly bytes: number;
}

/** What stood after the last LF when the output ended. */
export interface BrokenLine {
  readonly kind: "broken";
  readonly text: string;
}

export interface LineFramerOptions {
  /** The longest line that is kept, in bytes without its LF. */
  readonly maxLineBytes?: number | undefined;
}

/** Bytes in, lines out: any split of the same bytes gives the same lines, at the same cost. */
export class LineFramer {
  readonly #limit: number;
  /** Bytes of the open line so far, those that were dropped included. */
  #bytes = 0;
  /** The open line: first what is decoded already, then the bytes in the block. */
  #text = "";
  #block: Buffer = EMPTY;
  #used = 0;

  constructor(options: LineFramerOptions = {}) {
    // A line has at most as many characters as bytes, so it always fits into a string.
    this.#limit = Math.min(options.maxLineBytes ?? DEFAULT_LIMIT, constants.MAX_STRING_LENGTH);
  }

  /** The lines that this chunk completes. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): FramedLine[] {
    const bytes = asBuffer(chunk);
    const lines: FramedLine[] = [];
    let start = 0;
    let end = bytes.indexOf(LF);
    if (end >= 0 && this.#bytes > 0) {
      this.#append(bytes, 0, end);
      add(lines, this.#close());
      start = end + 1;
      end = bytes.indexOf(LF, start);
    }
    if (end >= 0) {
      const encoding = encodingOf(bytes);
      for (; end >= 0; start = end + 1, end = bytes.indexOf(LF, start)) {
        const length = end - start;
        if (length > this.#limit) add(lines, { kind: "overlong", bytes: length });
        else add(lines, bytes.toString(encoding, start, end));
      }
    }
    this.#append(bytes, start, bytes.length);
    return lines;
  }

  /** What is left when the output has ended: nothing, or the one line without its LF. */
  end(): FramedLine[] {
    const lines: FramedLine[] = [];
    add(lines, this.#close());
    return lines.map((line) => (typeof line === "string" ? { kind: "broken", text: line } : line));
  }

  #append(bytes: Buffer, from: number, to: number): void {
    this.#bytes += to - from;
    if (this.#bytes > this.#limit) {
      this.#text = "";
      this.#block = EMPTY;
      this.#used = 0;
      return;
    }
    for (let at = from; at < to; ) {
      if (this.#used === this.#block.length) this.#makeRoom(to - at);
      const copied = bytes.copy(this.#block, this.#used, at, to);
      this.#used += copied;
      at += copied;
    }
  }

  #close(): FramedLine {
    const bytes = this.#bytes;
    const text = this.#text + decode(this.#block.subarray(0, this.#used));
    this.#bytes = 0;
    this.#text = "";
    this.#used = 0;
    return bytes > this.#limit ? { kind: "overlong", bytes } : text;
  }

  /** Grows the block up to its full size; after that, turns what it holds into text. */
  #makeRoom(wanted: number): void {
    const size = this.#block.length;
    if (size < BLOCK_BYTES) {
      const grown = Buffer.allocUnsafeSlow(
        Math.min(BLOCK_BYTES, Math.max(size * 2, size + wanted, SMALLEST_BLOCK_BYTES)),
      );
      this.#block.copy(grown);
      this.#block = grown;
      return;
    }
    const whole = wholeCharacters(this.#block);
    this.#text += decode(this.#block.subarray(0, whole));
    this.#used = this.#block.copy(this.#block, 0, whole);
  }
}

const LF = 0x0a;
const DEFAULT_LIMIT = 64 * 1024 * 1024;
const SMALLEST_BLOCK_BYTES = 4096;
const EMPTY: Buffer = Buffer.alloc(0);

/**
 * A long line is a rope of texts of this size, flattened once by whoever reads it. Strings over 1 MB
 * would lie outside the heap, and such memory sets off collections while a long line is parsed.
 */
const BLOCK_BYTES = 256 * 1024;

function add(lines: FramedLine[], line: FramedLine): void {
  if (typeof line === "string" && textStart(line) === line.length) return;
  lines.push(line);
}

function asBuffer(chunk: Uint8Array): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

function decode(bytes: Buffer): string {
  return bytes.toString(encodingOf(bytes));
}

/** The same text either way; Latin-1 is a plain copy, several times faster. */
function encodingOf(bytes: Buffer): "latin1" | "utf8" {
  return isAscii(bytes) ? "latin1" : "utf8";
}

/**
 * How many bytes can be decoded by themselves. A byte that leads a UTF-8 sequence always begins a new
 * character, so a cut in front of the last one changes nothing, not even how bad bytes are replaced.
 */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back < LONGEST_SEQUENCE; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - back;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

const LONGEST_SEQUENCE = 4;
