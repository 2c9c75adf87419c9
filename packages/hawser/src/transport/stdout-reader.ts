import type { Readable } from "node:stream";
import { type FramedLine, LineFramer } from "../wire/index.js";

export interface StdoutEvents {
  readonly onLine: (line: FramedLine) => void;
  /** Nothing more can be heard. */
  readonly onClose: () => void;
}

/** Hears what one process says, line by line, until its output ends or it is let go. */
export class StdoutReader {
  readonly #stdout: Readable;
  readonly #framer: LineFramer;
  readonly #events: StdoutEvents;

  constructor(stdout: Readable, maxLineBytes: number | undefined, events: StdoutEvents) {
    this.#stdout = stdout;
    this.#framer = new LineFramer({ maxLineBytes });
    this.#events = events;
    stdout.on("data", this.#hear);
    stdout.once("close", this.#close);
    // It may have been let go by another, and waits since then.
    stdout.resume();
  }

  /** Hears no more. False if that was in the middle of a line, of which the rest is lost. */
  detach(): boolean {
    this.#stdout.off("data", this.#hear);
    this.#stdout.off("close", this.#close);
    return this.#framer.end().length === 0;
  }

  readonly #hear = (chunk: Buffer): void => {
    for (const line of this.#framer.push(chunk)) this.#events.onLine(line);
  };

  readonly #close = (): void => {
    for (const line of this.#framer.end()) this.#events.onLine(line);
    this.#events.onClose();
  };
}
