import type { Readable } from "node:stream";
import { type FramedLine, LineFramer } from "../wire/index.js";

export interface StdoutEvents {
  readonly onLine: (line: FramedLine) => void;
  /** Called when the stream has closed and every line was given to `onLine`. */
  readonly onClose: () => void;
}

/** Reads the stdout of a process line by line until the stream closes or the reader is detached. */
export class StdoutReader {
  readonly #stdout: Readable;
  readonly #framer: LineFramer;
  readonly #events: StdoutEvents;

  constructor(stdout: Readable, maxLineBytes: number | undefined, events: StdoutEvents) {
    this.#stdout = stdout;
    this.#framer = new LineFramer({ maxLineBytes });
    this.#events = events;
    stdout.on("data", this.#read);
    stdout.once("close", this.#close);
    // A stream whose earlier reader was detached is paused.
    stdout.resume();
  }

  /** Stops reading. False if a line was incomplete, whose rest is then lost. */
  detach(): boolean {
    this.#stdout.off("data", this.#read);
    this.#stdout.off("close", this.#close);
    return this.#framer.end().length === 0;
  }

  readonly #read = (chunk: Buffer): void => {
    for (const line of this.#framer.push(chunk)) this.#events.onLine(line);
  };

  readonly #close = (): void => {
    for (const line of this.#framer.end()) this.#events.onLine(line);
    this.#events.onClose();
  };
}
