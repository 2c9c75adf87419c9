import type { Readable } from "node:stream";
import { type FramedLine, LineFramer } from "../wire/index.js";

/**
 * Drains stderr for as long as it lasts: a full pipe would stop the CLI. Whole lines go to
 * `onLine`, whose failures are its own; the end of the text is kept for errors.
 */
export class StderrTail {
  readonly #framer = new LineFramer({ maxLineBytes: LONGEST_LINE });
  #text = "";
  /** Whether the next line is the rest of one that was forgotten. */
  #endsForgotten = false;

  constructor(stream: Readable | undefined, onLine: (line: string) => void) {
    const hand = (lines: FramedLine[]) => {
      if (this.#endsForgotten && lines.length > 0) {
        lines.shift();
        this.#endsForgotten = false;
      }
      for (const line of lines) {
        const text = textOf(line);
        this.#text = keepEnd(`${this.#text}${text}\n`);
        onLine(text);
      }
    };
    stream?.on("data", (chunk: Buffer) => hand(this.#framer.push(chunk)));
    stream?.once("close", () => hand(this.#framer.end()));
    // A pipe that breaks has no more text; the exit is reported by the process itself.
    stream?.on("error", () => {});
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
