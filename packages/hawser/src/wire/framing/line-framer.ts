import { constants } from "node:buffer";
import { OpenLine } from "./open-line.js";
import { findNonAscii } from "./utf8.js";

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
    const lines: FramedLine[] = [];
    this.cut(chunk, {
      onLine: (line) => lines.push(line),
      onLines: (whole) => whole.addTo(lines),
    });
    return lines;
  }

  /**
   * The line, if the first `length` bytes of the chunk are nothing but one short line of JSON with its LF.
   * Undefined for every other chunk, which has to be cut.
   */
  soleLine(chunk: Uint8Array, length: number): string | undefined {
    const last = length - 1;
    if (chunk[last] !== LF || chunk[0] !== OPENING_BRACE) return undefined;
    if (last > SHORT || last > this.#limit || !this.#open.isEmpty) return undefined;
    // A stream of another library may give other arrays of bytes.
    if (!Buffer.isBuffer(chunk)) return undefined;
    const text = chunk.toString("utf8", 0, last);
    return text.includes("\n") ? undefined : text;
  }

  /** Gives the lines that this chunk completes to the receiver, most of them uncut. */
  cut(chunk: Uint8Array, receiver: LineReceiver): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let at = 0;
    for (; at + STRIDE < bytes.length; at += STRIDE) {
      this.#take(bytes.subarray(at, at + STRIDE), receiver);
    }
    this.#take(at === 0 ? bytes : bytes.subarray(at), receiver);
  }

  /** Call it when the output has ended. It returns the last line if that line has no LF. */
  end(): FramedLine[] {
    const line = this.#open.close();
    if (isBlank(line)) return [];
    return [typeof line === "string" ? { kind: "broken", text: line } : line];
  }

  #take(bytes: Buffer, receiver: LineReceiver): void {
    const last = bytes.lastIndexOf(LF);
    let from = 0;
    if (last >= 0 && !this.#open.isEmpty) {
      from = bytes.indexOf(LF) + 1;
      this.#open.append(bytes.subarray(0, from - 1));
      const line = this.#open.close();
      if (!isBlank(line)) receiver.onLine(line);
    }
    if (from <= last) receiver.onLines(new WholeLines(bytes, from, last, this.#limit));
    if (last + 1 < bytes.length) this.#open.append(bytes.subarray(last + 1));
  }
}

/** Gets the lines of a chunk, in their order. */
export interface LineReceiver {
  /** A line that began in an earlier chunk. */
  onLine(line: FramedLine): void;
  /** Lines that lie in the chunk as a whole. */
  onLines(lines: WholeLines): void;
}

/** Lines that arrived together. */
export class WholeLines {
  /**
   * All of them as Latin-1, in which a character is a byte. Slices of this one string cost far less than
   * a string for each line, and they are right for every line of ASCII.
   */
  readonly text: string;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;
  readonly #limit: number;
  #hasNonAscii: ((from: number, to: number) => boolean) | undefined;

  /** There is the start of a line at `from`, and the LF of the same or another one at `to`. */
  constructor(bytes: Buffer, from: number, to: number, limit: number) {
    this.text = bytes.toString("latin1", from, to);
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    this.#limit = limit;
  }

  /** The line that begins at `start`, and where its LF is; undefined in place of a blank line. */
  lineAt(start: number): { readonly line: FramedLine | undefined; readonly end: number } {
    const next = this.text.indexOf("\n", start);
    const end = next < 0 ? this.text.length : next;
    const line = this.#line(start, end);
    return { line: isBlank(line) ? undefined : line, end };
  }

  addTo(lines: FramedLine[]): void {
    for (let at = 0; at <= this.text.length; ) {
      const { line, end } = this.lineAt(at);
      if (line !== undefined) lines.push(line);
      at = end + 1;
    }
  }

  #line(start: number, end: number): FramedLine {
    if (end - start > this.#limit) return { kind: "overlong", bytes: end - start };
    this.#hasNonAscii ??= findNonAscii(this.#bytes.subarray(this.#from, this.#to));
    if (this.#hasNonAscii(start, end)) {
      return this.#bytes.toString("utf8", this.#from + start, this.#from + end);
    }
    return this.text.slice(start, end);
  }
}

export const DEFAULT_MAX_LINE_BYTES: number = 64 * 1024 * 1024;
const LF = 0x0a;
const OPENING_BRACE = 0x7b;

/** To decode a longer chunk in vain, because it has more lines, would cost more than this way saves. */
const SHORT = 4096;

/** Slices keep the whole string alive that they were cut from; this bounds its size. */
const STRIDE = 64 * 1024;

function isBlank(line: FramedLine): boolean {
  return typeof line === "string" && textStart(line) === line.length;
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
