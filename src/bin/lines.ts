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
  /** Only what is typed from now on is an answer, not what was typed or pasted before. */
  readonly fresh?: boolean;
}

export function openLines(): Lines {
  return process.stdin.isTTY ? new TypedLines() : new PipedLines();
}

/**
 * The terminal is ours only while a line is asked for: in between Ctrl-C is a signal again, and the
 * program can end. Lines that are pasted together come as one prompt.
 */
class TypedLines implements Lines {
  readonly #history: string[] = [];
  #typing: Typing | undefined;
  isAside = false;
  /** Lines that came with others and stand for themselves. */
  #waiting: string[] = [];

  async ask(question: string, how: AskHow = {}): Promise<string | undefined> {
    const waiting = how.fresh ? undefined : this.#waiting.shift();
    if (waiting !== undefined) return waiting;
    // The CLI may ask in a turn of its own, while the person types a prompt: two readers of the same
    // keys would both take the answer.
    const below = this.#typing;
    below?.suspend();
    try {
      if (how.fresh && (await dropTyped()) === "interrupted") {
        how.onInterrupt?.();
        return undefined;
      }
      if (how.signal?.aborted) return undefined;
      this.#typing = new Typing(question, how, this.#history);
      return this.#together(await this.#typing.lines);
    } finally {
      this.#typing = below;
      this.isAside = false;
      below?.resume();
    }
  }

  /** A command is one line; what stands below it is not a part of it. */
  #together([first, ...rest]: readonly string[]): string | undefined {
    if (!first?.startsWith("/"))
      return first === undefined ? undefined : [first, ...rest].join("\n");
    this.#waiting = rest;
    return first;
  }

  stepAside(): void {
    if (this.#typing === undefined || this.isAside) return;
    this.isAside = true;
    process.stderr.write("\r\x1b[J");
  }

  stepBack(): void {
    if (!this.isAside) return;
    this.isAside = false;
    this.#typing?.show();
  }

  close(): void {
    this.#typing?.leave();
  }
}

/** A question, and what is being typed below it. */
class Typing {
  readonly lines: Promise<readonly string[]>;
  readonly #prompt: string;
  readonly #how: AskHow;
  /** The latest line first; the caller's own, so that it lasts. */
  readonly #history: string[];
  #end: (lines: readonly string[]) => void = () => {};
  #open: Interface | undefined;
  #typed = "";

  constructor(question: string, how: AskHow, history: string[]) {
    const above = question.lastIndexOf("\n") + 1;
    process.stderr.write(question.slice(0, above));
    this.#prompt = question.slice(above);
    this.#how = how;
    this.#history = history;
    this.lines = new Promise((resolve) => {
      this.#end = resolve;
    });
    how.signal?.addEventListener("abort", this.leave);
    this.resume();
  }

  resume(): void {
    const { remembered = false } = this.#how;
    const open = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: true,
      history: remembered ? [...this.#history] : [],
      historySize: remembered ? HISTORY : 0,
      prompt: this.#prompt,
    });
    this.#open = open;
    const got: string[] = [];
    open.on("history", (history) => {
      if (remembered) this.#history.splice(0, this.#history.length, ...history);
    });
    open.on("SIGINT", () => this.#interrupted(open));
    open.on("close", () => {
      if (this.#open === open) this.#finish([]);
    });
    open.on("line", (line) => {
      got.push(line);
      if (got.length === 1) setImmediate(() => this.#finish(got));
    });
    open.prompt();
    if (this.#typed !== "") open.write(this.#typed);
  }

  /** Gives the keys to another one; what was typed so far is kept. */
  suspend(): void {
    const open = this.#open;
    this.#typed = open?.line ?? "";
    this.#open = undefined;
    process.stderr.write("\r\x1b[J");
    open?.close();
  }

  show(): void {
    this.#open?.prompt(true);
  }

  readonly leave = () => {
    process.stderr.write("\n");
    this.#finish([]);
  };

  /** With something typed it takes that away, as in a shell. */
  #interrupted(open: Interface): void {
    if (open.line === "" && this.#how.onInterrupt?.() !== "stay") {
      this.leave();
      return;
    }
    process.stderr.write("\n");
    open.write(null, { ctrl: true, name: "e" });
    open.write(null, { ctrl: true, name: "u" });
    open.prompt();
  }

  #finish(lines: readonly string[]): void {
    const open = this.#open;
    this.#open = undefined;
    this.#how.signal?.removeEventListener("abort", this.leave);
    this.#end(lines);
    open?.close();
    process.stdin.pause();
  }
}

const HISTORY = 200;

/** What was typed before a question was there is no answer to it. */
async function dropTyped(): Promise<"interrupted" | undefined> {
  const { stdin } = process;
  let isInterrupted = false;
  const drop = (typed: Buffer | string) => {
    if (typed.includes("\x03")) isInterrupted = true;
  };
  stdin.setRawMode(true);
  stdin.on("data", drop);
  stdin.resume();
  // It is there at once, if there is any.
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
  stdin.off("data", drop);
  stdin.pause();
  stdin.setRawMode(false);
  return isInterrupted ? "interrupted" : undefined;
}

const SETTLING_MS = 100;

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
