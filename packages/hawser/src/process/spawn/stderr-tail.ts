import type { Readable } from "node:stream";
import { type FramedLine, LineFramer } from "../../wire/index.js";

/**
 * Drains stderr for as long as it lasts: a full pipe would stop the CLI. Whole lines go to
 * `onLine`, whose failures are its own; the end of the text is kept for errors.
 */
export class StderrTail {
  readonly #framer = new LineFramer({ maxLineBytes: LONGEST_LINE });
  #text = "";
  /** Whether what comes next is the rest of a line that was forgotten. */
  #endsForgotten = false;

  constructor(stream: Readable | undefined, onLine: (line: string) => void) {
    const hand = (lines: FramedLine[]) => {
      for (const line of lines) {
        const text = textOf(line);
        this.#text = keepEnd(`${this.#text}${text}\n`);
        onLine(text);
      }
    };
    stream?.on("data", (chunk: Buffer) => hand(this.#framer.push(this.#unforgotten(chunk))));
    stream?.once("close", () => hand(this.#framer.end()));
    // A pipe that breaks has no more text; the exit is reported by the process itself.
    stream?.on("error", () => {});
  }

  /** Without the rest of a line whose beginning was forgotten. */
  #unforgotten(chunk: Buffer): Buffer {
    if (!this.#endsForgotten) return chunk;
    const end = chunk.indexOf("\n");
    this.#endsForgotten = end < 0;
    return end < 0 ? chunk.subarray(chunk.length) : chunk.subarray(end + 1);
  }

  get text(): string {
    return this.#text.trimEnd();
  }

  /** What was said so far is of no concern to whoever comes next. */
  forget(): void {
    this.#text = "";
    this.#endsForgotten ||= this.#framer.end().length > 0;
  }
}

/** Makes a callback hear each line with the blanks and the CR at its end. */
export function keepingBlanks<Callback extends (line: string) => void>(hear: Callback): Callback {
  keepsBlanks.add(hear);
  return hear;
}

/** A line as this callback is to hear it. */
export function heardBy(hear: (line: string) => void, line: string): string {
  return keepsBlanks.has(hear) ? line : line.trimEnd();
}

const keepsBlanks = new WeakSet<(line: string) => void>();

const KEPT = 64 * 1024;
const LONGEST_LINE = 1024 * 1024;

/** Words need no line end: a program that dies may have had no time for it. */
function textOf(line: FramedLine): string {
  if (typeof line === "string") return line;
  return line.kind === "broken" ? line.text : "[a line too long to show]";
}

function keepEnd(text: string): string {
  return text.length <= 2 * KEPT ? text : text.slice(-KEPT);
}
