import type { Readable } from "node:stream";
import { type FramedLine, LineFramer } from "../../wire/index.js";

/**
 * Reads stderr until it ends, because a full pipe would stop the CLI. `onLine` gets whole lines and
 * must not throw. The end of the text is kept for errors.
 */
export class StderrTail {
  readonly #framer = new LineFramer({ maxLineBytes: LONGEST_LINE });
  #text = "";
  /** Whether the next bytes are the rest of a line whose beginning was cleared. */
  #skipsToLineEnd = false;

  constructor(stream: Readable | undefined, onLine: (line: string) => void) {
    const hand = (lines: FramedLine[]) => {
      for (const line of lines) {
        const text = textOf(line);
        this.#text = keepEnd(`${this.#text}${text}\n`);
        onLine(text);
      }
    };
    stream?.on("data", (chunk: Buffer) => hand(this.#framer.push(this.#withoutClearedLine(chunk))));
    stream?.once("close", () => hand(this.#framer.end()));
    // A broken pipe gives no more text. The process itself reports its exit.
    stream?.on("error", () => {});
  }

  /** The chunk without the rest of a line whose beginning was cleared. */
  #withoutClearedLine(chunk: Buffer): Buffer {
    if (!this.#skipsToLineEnd) return chunk;
    const end = chunk.indexOf("\n");
    this.#skipsToLineEnd = end < 0;
    return end < 0 ? chunk.subarray(chunk.length) : chunk.subarray(end + 1);
  }

  get text(): string {
    return this.#text.trimEnd();
  }

  /** Drops the text so far, because it must not reach the next owner of the process. */
  clear(): void {
    this.#text = "";
    this.#skipsToLineEnd ||= this.#framer.end().length > 0;
  }
}

/** Marks a callback that gets each line with the blanks and the CR at the end of the line. */
export function keepingBlanks<Callback extends (line: string) => void>(
  callback: Callback,
): Callback {
  return Object.assign(callback, { [KEEPS_BLANKS]: true });
}

/** Whether the callback is marked by `keepingBlanks()`. */
export function keepsBlanks(callback: ((line: string) => void) | undefined): boolean {
  return callback !== undefined && KEEPS_BLANKS in callback;
}

const KEEPS_BLANKS = Symbol("hawser.keepsBlanks");

const KEPT = 64 * 1024;
const LONGEST_LINE = 1024 * 1024;

/**
 * A last line without a line end counts too, because a dying program may not have written the end.
 */
function textOf(line: FramedLine): string {
  if (typeof line === "string") return line;
  return line.kind === "broken" ? line.text : "[a line too long to show]";
}

function keepEnd(text: string): string {
  return text.length <= 2 * KEPT ? text : text.slice(-KEPT);
}
