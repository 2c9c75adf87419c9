import { createInterface } from "node:readline";
import { complete, type FindCandidates, listOf } from "./input/completion.js";
import { EditLine, type Effect } from "./input/edit-line.js";
import type { Input, Key } from "./input/input-decoder.js";
import { Keyboard } from "./input/keyboard.js";
import { LineScreen } from "./input/line-screen.js";

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
  /** What Tab completes; without it, Tab does nothing. */
  readonly complete?: FindCandidates;
}

export function openLines(): Lines {
  return process.stdin.isTTY ? new TypedLines() : new PipedLines();
}

/**
 * Reads prompts that a person types or pastes. A prompt is sent only by Enter; pasted text is inserted
 * into it.
 */
class TypedLines implements Lines {
  readonly #keyboard = new Keyboard();
  readonly #history: string[] = [];
  #typing: Typing | undefined;
  isAside = false;

  async ask(question: string, how: AskHow = {}): Promise<string | undefined> {
    // The CLI may ask in a turn of its own while the person types a prompt. The keys go to one reader
    // only, because otherwise both would take the answer.
    const below = this.#typing;
    below?.suspend();
    // What does not answer this question is kept for the text below, or for the next one.
    const late: Input[] = [];
    try {
      if (how.fresh && (await this.#setAside(late)) === "interrupted") {
        how.onInterrupt?.();
        return undefined;
      }
      if (how.signal?.aborted) return undefined;
      this.#typing = new Typing(question, how, this.#keyboard, this.#history, late);
      return await this.#typing.line;
    } finally {
      this.#typing = below;
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
      const finish = (result: "interrupted" | undefined) => {
        clearTimeout(timer);
        resolve(result);
      };
      // What was typed before is there at once; a long paste comes in pieces, each soon after the last.
      const timer = setTimeout(() => finish(undefined), SETTLING_MS);
      this.#keyboard.open({
        onInput: (input) => {
          timer.refresh();
          if (isKey(input, "interrupt")) finish("interrupted");
          else late.push(input);
        },
        onEnd: () => finish(undefined),
      });
    });
  }

  stepAside(): void {
    if (this.#typing === undefined || this.isAside) return;
    this.isAside = true;
    this.#typing.hide();
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
class Typing {
  /** Undefined if there will be none. */
  readonly line: Promise<string | undefined>;
  readonly #prompt: string;
  readonly #how: AskHow;
  readonly #keyboard: Keyboard;
  /** The latest first; shared with the questions that follow. */
  readonly #history: string[];
  readonly #edited: EditLine;
  readonly #screen = new LineScreen(process.stderr);
  /** Takes what does not belong to this text. */
  readonly #late: Input[];
  /** Whether a paste goes on that had begun before a fresh question was there. */
  #isStrayPaste: boolean;
  readonly #effects: Readonly<Record<Effect, () => void>> = {
    changed: () => this.#draw(),
    enter: () => this.#enter(),
    complete: () => this.#complete(),
    interrupt: () => this.#interrupt(),
    end: () => this.leave(),
    suspend: () => this.#keyboard.suspend(this.#draw),
    redraw: () => {
      process.stderr.write("\x1b[H\x1b[2J");
      this.#screen.forget();
      this.#draw();
    },
  };
  #settle: (line: string | undefined) => void = () => {};
  #isShown = true;
  #isOver = false;

  constructor(question: string, how: AskHow, keyboard: Keyboard, history: string[], late: Input[]) {
    const above = question.lastIndexOf("\n") + 1;
    process.stderr.write(question.slice(0, above));
    this.#prompt = question.slice(above);
    this.#how = how;
    this.#keyboard = keyboard;
    this.#history = history;
    this.#edited = new EditLine(how.remembered ? [...history] : []);
    this.#late = late;
    this.#isStrayPaste = how.fresh === true && keyboard.isPasting;
    this.line = new Promise((resolve) => {
      this.#settle = resolve;
    });
    how.signal?.addEventListener("abort", this.leave);
    this.resume();
  }

  resume(): void {
    process.stderr.on("resize", this.#draw);
    this.#isShown = true;
    // First, because until then Ctrl-C at the prompt would end the program.
    this.#keyboard.take();
    this.#draw();
    this.#keyboard.open({ onInput: (input) => this.#onInput(input), onEnd: this.leave });
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

  readonly leave = () => {
    if (this.#isOver) return;
    this.#screen.leave();
    this.#finish(undefined);
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
    this.#screen.leave();
    if (this.#how.remembered && text.trim() !== "" && text !== this.#history[0]) {
      this.#history.unshift(text);
      this.#history.splice(HISTORY);
    }
    this.#finish(text);
  }

  #complete(): void {
    const { text, cursor } = this.#edited;
    const { complete: find } = this.#how;
    const found = find === undefined ? undefined : complete(text, cursor, find);
    if (found === undefined) return;
    this.#edited.replace(found.from, found.text);
    if (found.choices.length > 0 && this.#isShown) {
      this.#screen.clear();
      process.stderr.write(`${listOf(found.choices, process.stderr.columns || 80)}\n`);
    }
    this.#draw();
  }

  /** With something typed, Ctrl-C takes that away, as in a shell. */
  #interrupt(): void {
    if (this.#edited.text === "" && this.#how.onInterrupt?.() !== "stay") {
      this.leave();
      return;
    }
    this.#screen.leave();
    this.#edited.clear();
    this.#draw();
  }

  #finish(line: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#how.signal?.removeEventListener("abort", this.leave);
    process.stderr.off("resize", this.#draw);
    this.#keyboard.close();
    this.#settle(line);
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
