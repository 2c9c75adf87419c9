import { createInterface } from "node:readline";
import { EditLine, type Effect } from "./edit-line.js";
import type { Input, Key } from "./input-decoder.js";
import { Keyboard } from "./keyboard.js";
import { LineScreen } from "./line-screen.js";
import { completeWord, type FindSuggestions, suggestionList } from "./suggestions.js";

/** Reads lines from stdin that a user types, or that a program writes into a pipe. */
export interface LineReader {
  /** The next line; undefined at the end, at Ctrl-C, or when the question is withdrawn. */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
  /** Makes room above the line that is being typed, until `stepBack()`. */
  stepAside(): void;
  readonly isAside: boolean;
  stepBack(): void;
  close(): void;
}

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Called at Ctrl-C if nothing is typed. Ends the question unless it returns `stay`. */
  readonly onInterrupt?: () => "stay" | undefined;
  /** Whether the line can be called back by the arrow keys. */
  readonly remembered?: boolean;
  /** Whether only text that is typed from now on is an answer, not text typed or pasted before. */
  readonly fresh?: boolean;
  /** Finds what Tab completes. Without it, Tab does nothing. */
  readonly suggest?: FindSuggestions;
}

export function openLineReader(): LineReader {
  return process.stdin.isTTY ? new TypedLineReader() : new PipedLineReader();
}

/**
 * Reads prompts that a user types or pastes. A prompt is sent only by Enter; pasted text is inserted
 * into it.
 */
class TypedLineReader implements LineReader {
  readonly #keyboard = new Keyboard();
  readonly #history: string[] = [];
  #question: OpenQuestion | undefined;
  isAside = false;

  async ask(question: string, options: AskOptions = {}): Promise<string | undefined> {
    // The CLI may ask in a turn of its own while the user types a prompt. The keys go to one reader
    // only, because otherwise both would take the answer.
    const below = this.#question;
    below?.suspend();
    // Input that does not answer this question is kept for the text below, or for the next question.
    const late: Input[] = [];
    try {
      if (options.fresh && (await this.#setAside(late)) === "interrupted") {
        options.onInterrupt?.();
        return undefined;
      }
      if (options.signal?.aborted) return undefined;
      this.#question = new OpenQuestion(question, options, this.#keyboard, this.#history, late);
      return await this.#question.line;
    } finally {
      this.#question = below;
      this.isAside = false;
      this.#keyboard.close();
      this.#keyboard.keep(unsent(late));
      below?.resume();
    }
  }

  /**
   * Sets aside text that was typed or pasted before the question appeared, because it cannot be an
   * answer.
   */
  #setAside(late: Input[]): Promise<"interrupted" | undefined> {
    return new Promise((resolve) => {
      // The keyboard stays open: between this and the question, Ctrl-C must not end the program.
      const settle = (result: "interrupted" | undefined) => {
        clearTimeout(timer);
        resolve(result);
      };
      // Earlier input arrives at once; a long paste arrives in pieces, each soon after the last.
      const timer = setTimeout(() => settle(undefined), SETTLING_MS);
      this.#keyboard.open({
        onInput: (input) => {
          timer.refresh();
          if (isKey(input, "interrupt")) settle("interrupted");
          else late.push(input);
        },
        onEnd: () => settle(undefined),
      });
    });
  }

  stepAside(): void {
    if (this.#question === undefined || this.isAside) return;
    this.isAside = true;
    this.#question.hide();
  }

  stepBack(): void {
    if (!this.isAside) return;
    this.isAside = false;
    this.#question?.show();
  }

  close(): void {
    this.#question?.close();
  }
}

const SETTLING_MS = 100;

/** The inputs as text that is not sent: Enter is a line break in it. */
function unsent(inputs: readonly Input[]): Input[] {
  const texts = inputs.map((input) => {
    if (input.kind === "text") return input.text;
    return input.key === "enter" || input.key === "newline" ? "\n" : "";
  });
  const text = texts.join("").replace(/\n$/, "");
  return text.trim() === "" ? [] : [{ kind: "text", text }];
}

function isKey(input: Input, key: Key): boolean {
  return input.kind === "key" && input.key === key;
}

/** A question, and the text that is being typed below it. */
class OpenQuestion {
  /** Resolves to undefined if there will be no line. */
  readonly line: Promise<string | undefined>;
  readonly #prompt: string;
  readonly #options: AskOptions;
  readonly #keyboard: Keyboard;
  /** The latest first; shared with the questions that follow. */
  readonly #history: string[];
  readonly #edited: EditLine;
  readonly #screen = new LineScreen(process.stderr);
  /** Collects input that does not belong to this text. */
  readonly #late: Input[];
  /** Whether a paste continues that began before a fresh question appeared. */
  #isStrayPaste: boolean;
  readonly #effects: Readonly<Record<Effect, () => void>> = {
    changed: () => this.#draw(),
    enter: () => this.#enter(),
    complete: () => this.#complete(),
    interrupt: () => this.#interrupt(),
    end: () => this.close(),
    suspend: () => this.#keyboard.suspend(this.#draw),
    redraw: () => {
      process.stderr.write("\x1b[H\x1b[2J");
      this.#screen.reset();
      this.#draw();
    },
  };
  #resolve: (line: string | undefined) => void = () => {};
  #isShown = true;
  #isOver = false;

  constructor(
    question: string,
    options: AskOptions,
    keyboard: Keyboard,
    history: string[],
    late: Input[],
  ) {
    const above = question.lastIndexOf("\n") + 1;
    process.stderr.write(question.slice(0, above));
    this.#prompt = question.slice(above);
    this.#options = options;
    this.#keyboard = keyboard;
    this.#history = history;
    this.#edited = new EditLine(options.remembered ? [...history] : []);
    this.#late = late;
    this.#isStrayPaste = options.fresh === true && keyboard.isPasting;
    this.line = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    options.signal?.addEventListener("abort", this.close);
    this.resume();
  }

  resume(): void {
    process.stderr.on("resize", this.#draw);
    this.#isShown = true;
    // Take the keyboard first, because until then Ctrl-C at the prompt would kill the program.
    this.#keyboard.take();
    this.#draw();
    this.#keyboard.open({ onInput: (input) => this.#onInput(input), onEnd: this.close });
  }

  /** Gives the keys to another reader; what was typed so far is kept. */
  suspend(): void {
    this.hide();
    process.stderr.off("resize", this.#draw);
    this.#keyboard.close();
  }

  hide(): void {
    this.#isShown = false;
    this.#screen.clear();
  }

  show(): void {
    this.#isShown = true;
    this.#draw();
  }

  readonly close = () => {
    if (this.#isOver) return;
    this.#screen.moveBelow();
    this.#settle(undefined);
  };

  readonly #draw = () => {
    if (!this.#isShown) return;
    const { text, cursor } = this.#edited;
    this.#screen.draw({ prompt: this.#prompt, text, cursor });
  };

  #onInput(input: Input): void {
    if (this.#isStrayPaste) {
      this.#isStrayPaste = !isKey(input, "paste-end");
      this.#late.push(input);
      return;
    }
    this.#effects[this.#edited.apply(input)]();
  }

  #enter(): void {
    const { text } = this.#edited;
    this.#screen.moveBelow();
    if (this.#options.remembered && text.trim() !== "" && text !== this.#history[0]) {
      this.#history.unshift(text);
      this.#history.splice(HISTORY);
    }
    this.#settle(text);
  }

  #complete(): void {
    const { text, cursor } = this.#edited;
    const { suggest: find } = this.#options;
    const found = find === undefined ? undefined : completeWord(text, cursor, find);
    if (found === undefined) return;
    this.#edited.replace(found.from, found.text);
    if (found.choices.length > 0 && this.#isShown) {
      this.#screen.clear();
      process.stderr.write(`${suggestionList(found.choices, process.stderr.columns || 80)}\n`);
    }
    this.#draw();
  }

  /** If text is typed, Ctrl-C clears it, as in a shell. */
  #interrupt(): void {
    if (this.#edited.text === "" && this.#options.onInterrupt?.() !== "stay") {
      this.close();
      return;
    }
    this.#screen.moveBelow();
    this.#edited.clear();
    this.#draw();
  }

  #settle(line: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#options.signal?.removeEventListener("abort", this.close);
    process.stderr.off("resize", this.#draw);
    this.#keyboard.close();
    this.#resolve(line);
  }
}

const HISTORY = 200;

/** Reads the lines of a pipe. No question is shown, because no user reads it. */
class PipedLineReader implements LineReader {
  readonly #reader = createInterface({ input: process.stdin });
  readonly #lines = this.#reader[Symbol.asyncIterator]();
  /** No line is being typed, so there is always room for output. */
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
