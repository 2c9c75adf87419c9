import { createInterface, type Interface } from "node:readline";

/** Lines of the person, or of a program that writes in the person's place. */
export interface Lines {
  /** The next line; undefined at the end, at Ctrl-C, or when the question is withdrawn. */
  ask(question: string, how?: AskHow): Promise<string | undefined>;
  /** Makes room above the line that is being typed, until `stepBack()`. */
  stepAside(): void;
  readonly isAside: boolean;
  stepBack(): void;
  close(): void;
}

export interface AskHow {
  readonly signal?: AbortSignal;
  /** Ctrl-C with nothing typed; the question is over then, unless it says `stay`. */
  readonly onInterrupt?: () => "stay" | undefined;
  /** Whether the line can be called back by the arrow keys. */
  readonly remembered?: boolean;
}

export function openLines(): Lines {
  return process.stdin.isTTY ? new TypedLines() : new PipedLines();
}

/**
 * The terminal is ours only while a line is asked for: in between Ctrl-C is a signal again, and the
 * program can end. Lines that are pasted together come as one prompt.
 */
class TypedLines implements Lines {
  #history: string[] = [];
  #open: Interface | undefined;
  isAside = false;
  /** Lines that came with others and stand for themselves. */
  #waiting: string[] = [];

  ask(question: string, how: AskHow = {}): Promise<string | undefined> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    const { signal, onInterrupt, remembered = false } = how;
    const open = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: true,
      history: remembered ? [...this.#history] : [],
      historySize: remembered ? HISTORY : 0,
      prompt: question,
    });
    this.#open = open;
    return new Promise((resolve) => {
      const got: string[] = [];
      const end = (line: string | undefined) => {
        if (this.#open === open) this.#open = undefined;
        signal?.removeEventListener("abort", leave);
        resolve(line);
        open.close();
        process.stdin.pause();
      };
      const leave = () => {
        process.stderr.write("\n");
        end(undefined);
      };
      if (signal?.aborted) return end(undefined);
      signal?.addEventListener("abort", leave);
      open.on("history", (history) => {
        if (remembered) this.#history = history;
      });
      open.on("SIGINT", () => {
        const hadText = open.line !== "";
        if (hadText || onInterrupt?.() === "stay") {
          process.stderr.write("\n");
          open.write(null, { ctrl: true, name: "e" });
          open.write(null, { ctrl: true, name: "u" });
          open.prompt();
        } else leave();
      });
      open.on("close", () => end(undefined));
      open.on("line", (line) => {
        got.push(line);
        if (got.length === 1) setImmediate(() => end(this.#together(got)));
      });
      open.prompt();
    });
  }

  /** A command is one line; what stands below it is not a part of it. */
  #together([first = "", ...rest]: readonly string[]): string {
    if (!first.startsWith("/")) return [first, ...rest].join("\n");
    this.#waiting = rest;
    return first;
  }

  stepAside(): void {
    if (this.#open === undefined || this.isAside) return;
    this.isAside = true;
    process.stderr.write("\r\x1b[J");
  }

  stepBack(): void {
    if (!this.isAside) return;
    this.isAside = false;
    this.#open?.prompt(true);
  }

  close(): void {
    this.#open?.close();
  }
}

const HISTORY = 200;

/** One line after the other; no question is shown, since nobody reads it. */
class PipedLines implements Lines {
  readonly #reader = createInterface({ input: process.stdin });
  readonly #lines = this.#reader[Symbol.asyncIterator]();
  /** Nothing is being typed: there is always room. */
  readonly isAside = true;

  async ask(): Promise<string | undefined> {
    const { done, value } = await this.#lines.next();
    return done ? undefined : value;
  }

  stepAside(): void {}

  stepBack(): void {}

  close(): void {
    this.#reader.close();
    process.stdin.destroy();
  }
}
