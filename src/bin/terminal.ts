import type { WriteStream } from "node:tty";

/**
 * What the command says: the answer on stdout, all that is beside it on stderr, and there only if
 * somebody looks. Where nobody does there are no colours, no status and no notes.
 */
export class Terminal {
  readonly style: Style = styleOf(process.stderr);
  /** Of what is written to stdout. */
  readonly outStyle: Style = styleOf(process.stdout);
  /** Whether a person looks at stderr. */
  readonly isWatched: boolean;
  /** Whether a person looks at stdout. */
  readonly isShown: boolean = process.stdout.isTTY === true;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  readonly #isQuiet: boolean;
  readonly #spinner: Spinner;
  #midLine = false;

  constructor(options: { readonly quiet?: boolean } = {}) {
    this.#isQuiet = options.quiet === true;
    this.isWatched = process.stderr.isTTY === true && !this.#isQuiet;
    this.isInteractive = this.isWatched && process.stdin.isTTY === true;
    this.#spinner = new Spinner(this.isWatched && process.env["TERM"] !== "dumb");
  }

  get width(): number {
    return (process.stderr as WriteStream).columns || 80;
  }

  /** A part of the answer. */
  write(text: string): void {
    if (text === "") return;
    this.#spinner.hide();
    const shown = this.isShown ? printable(text) : text;
    process.stdout.write(shown);
    this.#midLine = this.isShown && !shown.endsWith("\n");
    if (!this.#midLine) this.#spinner.show();
  }

  /** A line of the answer. */
  writeLine(text = ""): void {
    this.endLine();
    this.write(`${text}\n`);
  }

  /** A line beside the answer, for a person; `text` may be styled, so it must be printable already. */
  note(text: string): void {
    if (!this.isWatched) return;
    this.#spinner.hide();
    this.endLine();
    process.stderr.write(`${text}\n`);
    this.#spinner.show();
  }

  /** What must be known also by one who reads it later in a log. */
  warn(text: string): void {
    if (this.#isQuiet) return;
    if (this.isWatched) this.note(this.style.yellow(`! ${printable(text)}`));
    else process.stderr.write(`hawser: ${printable(text)}\n`);
  }

  /** What is going on, at the last line; gone at the next change. */
  status(text: string | undefined): void {
    this.#spinner.set(text);
    if (!this.#midLine) this.#spinner.show();
  }

  /** Ends a line of the answer that has no end yet. */
  endLine(): void {
    if (!this.#midLine) return;
    process.stdout.write("\n");
    this.#midLine = false;
  }
}

export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Without colours where the stream is no terminal, or where NO_COLOR or TERM say so. */
function styleOf(stream: { readonly isTTY?: boolean }): Style {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  const isForced = FORCE_COLOR !== undefined && FORCE_COLOR !== "" && FORCE_COLOR !== "0";
  const isOn = !NO_COLOR && (isForced || (stream.isTTY === true && TERM !== "dumb"));
  const entries = Object.entries(CODES).map(([name, [on, off]]) => [
    name,
    (text: string) => (isOn && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text),
  ]);
  return Object.fromEntries(entries) as Style;
}

/** What a model, a tool or a file says may hold what moves the cursor or changes the window. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, "");
}

/** The same on one line of at most so many characters. */
export function oneLine(text: string, longest: number): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, " ").trim();
  const letters = [...line];
  return letters.length <= longest
    ? line
    : `${letters.slice(0, Math.max(0, longest - 1)).join("")}…`;
}

class Spinner {
  readonly #isOn: boolean;
  #text: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  set(text: string | undefined): void {
    this.hide();
    this.#text = text;
  }

  show(): void {
    if (!this.#isOn || this.#text === undefined || this.#timer !== undefined) return;
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), 100).unref();
  }

  hide(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.stderr.write("\r\x1b[K");
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    const width = (process.stderr as WriteStream).columns || 80;
    process.stderr.write(`\r\x1b[K${frame} ${oneLine(this.#text ?? "", width - 3)}`);
  }
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
