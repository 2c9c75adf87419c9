import { constants } from "node:buffer";
import { OpenLine } from "./open-line.js";
import { decodeUtf8, findNonAscii } from "./utf8.js";

/** One line of the CLI's output, without its LF. */
export type FramedLine = string | OverlongLine | BrokenLine;

/** A line over the limit, of which only the length is kept. */
export interface OverlongLine {
  readonly kind: "overlong";
  readonly bytes: number;
}

/** The bytes after the last LF when the output ended. */
export interface BrokenLine {
  readonly kind: "broken";
  readonly text: string;
}

/** Options of `LineFramer`. */
export interface LineFramerOptions {
  /**
   * The longest line that is kept, in bytes without its LF.
   * @default 67_108_864 (64 MiB)
   */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Splits bytes into lines, in linear time. Any split of the bytes into chunks gives the same lines.
 */
export class LineFramer {
  readonly #limit: number;
  readonly #open: OpenLine;

  constructor(options: LineFramerOptions = {}) {
    // A line has at most as many characters as bytes, so it always fits into a string.
    this.#limit = Math.min(
      options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES,
      constants.MAX_STRING_LENGTH,
    );
    this.#open = new OpenLine(this.#limit);
  }

  /** Returns the lines that this chunk completes. The chunk may be reused afterwards. */
  push(chunk: Uint8Array): FramedLine[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: FramedLine[] = [];
    for (let at = 0; at < bytes.length; at += STRIDE) {
      this.#take(bytes.subarray(at, at + STRIDE), lines);
    }
    return lines;
  }

  /** Call it when the output has ended. It returns the last line if that line has no LF. */
  end(): FramedLine[] {
    const lines: FramedLine[] = [];
    add(lines, this.#open.close());
    return lines.map((line) => (typeof line === "string" ? { kind: "broken", text: line } : line));
  }

  #take(bytes: Buffer, lines: FramedLine[]): void {
    const last = bytes.lastIndexOf(LF);
    let from = 0;
    if (last >= 0 && !this.#open.isEmpty) {
      from = bytes.indexOf(LF) + 1;
      this.#open.append(bytes.subarray(0, from - 1));
      add(lines, this.#open.close());
    }
    if (from <= last) this.#split(bytes.subarray(from, last), lines);
    if (last + 1 < bytes.length) this.#open.append(bytes.subarray(last + 1));
  }

  /** Adds the lines of `bytes`, which begins and ends at the border of a line. */
  #split(bytes: Buffer, lines: FramedLine[]): void {
    if (bytes.length <= this.#limit && bytes.indexOf(LF) < 0) {
      add(lines, decodeUtf8(bytes));
      return;
    }
    // As Latin-1 a character is a byte. Slices of this one string cost far less than a string for
    // each line, and they are right for every line of ASCII.
    const text = bytes.toString("latin1");
    const hasNonAscii = findNonAscii(bytes);
    for (let start = 0; start <= text.length; ) {
      const next = text.indexOf("\n", start);
      const end = next < 0 ? text.length : next;
      if (end - start > this.#limit) add(lines, { kind: "overlong", bytes: end - start });
      else if (hasNonAscii(start, end)) add(lines, bytes.toString("utf8", start, end));
      else add(lines, text.slice(start, end));
      start = end + 1;
    }
  }
}

export const DEFAULT_MAX_LINE_BYTES: number = 64 * 1024 * 1024;
const LF = 0x0a;

/** Slices keep the whole string alive that they were cut from; this bounds its size. */
const STRIDE = 64 * 1024;

function add(lines: FramedLine[], line: FramedLine): void {
  if (typeof line === "string" && textStart(line) === line.length) return;
  lines.push(line);
}

/**
 * Where the text of a line begins, or the length of the line if it is blank. Spaces, tabs and
 * carriage returns count as blank.
 */
export function textStart(line: string): number {
  let at = 0;
  for (;;) {
    const code = line.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return at;
    at += 1;
  }
}
