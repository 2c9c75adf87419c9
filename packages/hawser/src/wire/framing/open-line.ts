import type { OverlongLine } from "./line-framer.js";
import { decodeUtf8, wholeCharacters } from "./utf8.js";

/** The line whose LF has not arrived yet. Past the limit only its length is kept. */
export class OpenLine {
  readonly #limit: number;
  #bytes = 0;
  /** The line is this decoded text, followed by the bytes in the block. */
  #text = "";
  #block: Buffer = EMPTY;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  append(bytes: Buffer): void {
    this.#bytes += bytes.length;
    if (this.#bytes > this.#limit) {
      this.#text = "";
      this.#block = EMPTY;
      this.#used = 0;
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === this.#block.length) this.#makeRoom(bytes.length - at);
      const copied = bytes.copy(this.#block, this.#used, at);
      this.#used += copied;
      at += copied;
    }
  }

  /** The LF has arrived: returns the line and begins the next one. */
  close(): string | OverlongLine {
    if (this.isEmpty) return "";
    const bytes = this.#bytes;
    const text = this.#text + decodeUtf8(this.#block.subarray(0, this.#used));
    this.#bytes = 0;
    this.#text = "";
    this.#used = 0;
    // Otherwise one long line would hold its block for the rest of the session.
    if (this.#block.length > LARGEST_KEPT_BYTES) this.#block = EMPTY;
    return bytes > this.#limit ? { kind: "overlong", bytes } : text;
  }

  /** Grows the block up to its full size. A full block is decoded to text and used again. */
  #makeRoom(wanted: number): void {
    const size = this.#block.length;
    if (size < BLOCK_BYTES) {
      const atLeast = Math.max(size * 4, size + wanted, SMALLEST_BLOCK_BYTES);
      const grown = Buffer.allocUnsafeSlow(Math.min(atLeast, BLOCK_BYTES));
      this.#block.copy(grown);
      this.#block = grown;
      return;
    }
    const whole = wholeCharacters(this.#block);
    this.#text += decodeUtf8(this.#block.subarray(0, whole));
    this.#used = this.#block.copy(this.#block, 0, whole);
  }
}

const EMPTY: Buffer = Buffer.alloc(0);
const SMALLEST_BLOCK_BYTES = 4096;

/**
 * A line of up to this size is one text, which JSON.parse reads as it is. A longer line is a rope of such texts,
 * which JSON.parse has to flatten first. Observed, against `JSON.parse(Buffer.concat(chunks).toString())`: with
 * blocks of 512 KB, lines of 1 to 6 MB are read at two thirds of its rate, and with blocks of 4 MB at 0.9 to 1.1
 * of it. Larger blocks gain nothing.
 */
const BLOCK_BYTES = 4 * 1024 * 1024;
const LARGEST_KEPT_BYTES = 256 * 1024;
