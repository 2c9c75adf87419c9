import type { WriteStream } from "node:tty";
import { columnsOf, wrapText } from "./wrap.js";

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
  #isHeld = false;
  /** What is shown when the person has answered. */
  readonly #waiting: (() => void)[] = [];

  constructor(options: { readonly quiet?: boolean } = {}) {
    this.#isQuiet = options.quiet === true;
    this.isWatched = process.stderr.isTTY === true && !this.#isQuiet;
    this.isInteractive = this.isWatched && process.stdin.isTTY === true;
    this.#spinner = new Spinner(this.isWatched && process.env["TERM"] !== "dumb");
  }

  get width(): number {
    return (process.stderr as WriteStream).columns || 80;
  }

  /** How many rows the screen has. */
  get height(): number {
    return (process.stderr as WriteStream).rows || 24;
  }

  /** A part of the answer. */
  write(text: string): void {
    if (text === "") return;
    if (this.#isHeld) return void this.#waiting.push(() => this.write(text));
    this.#spinner.hide();
    const shown = this.isShown ? printable(text) : text;
    process.stdout.write(shown);
    this.#midLine = !shown.endsWith("\n");
    this.#showSpinner();
  }

  /** A line of the answer. */
  writeLine(text = ""): void {
    this.endLine();
    this.write(`${text}\n`);
  }

  /**
   * A line beside the answer, for a person, broken at words; `text` may be styled, so it must be
   * printable already.
   */
  note(text: string): void {
    if (this.#isHeld) this.#waiting.push(() => this.tell(text));
    else this.tell(text);
  }

  /** A line that belongs to the question that the person is asked. */
  tell(text: string): void {
    if (!this.isWatched) return;
    this.#spinner.hide();
    // What goes elsewhere is not in the way.
    if (this.isShown) this.#endLine();
    process.stderr.write(`${wrapText(text, this.width)}\n`);
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
    this.#showSpinner();
  }

  /**
   * While a person is asked, everything else waits: otherwise a model could push what it wants to do
   * out of view by writing more, and the status would be drawn over the question.
   */
  hold(isHeld: boolean): void {
    this.#spinner.hide();
    this.#isHeld = isHeld;
    this.#spinner.isHeld = isHeld;
    if (!isHeld) for (const show of this.#waiting.splice(0)) show();
    this.#showSpinner();
  }

  /** Ends a line of the answer that has no end yet. */
  endLine(): void {
    if (this.#isHeld) this.#waiting.push(() => this.#endLine());
    else this.#endLine();
  }

  #endLine(): void {
    if (!this.#midLine) return;
    process.stdout.write("\n");
    this.#midLine = false;
  }

  #showSpinner(): void {
    if (!this.#midLine || !this.isShown) this.#spinner.show();
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

/** What a model, a tool or a file says may hold what moves the cursor, or turns the text around. */
export function printable(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSEEMLY, "");
}

const UNSEEMLY = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Like printable(), but an invisible character is replaced by a visible sign. */
export function visible(text: string): string {
  return text.replace(UNSEEN, signFor);
}

/** Like visible(), on one line. */
export function visibleLine(text: string): string {
  return visible(text).replaceAll("\n", "␊");
}

/** A sign that stands for a character. */
export function signFor(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/**
 * Control and format characters, those without a meaning, blanks that are no space, marks that strike
 * letters out or lie over them, and more marks on one letter than any language has.
 */
const UNSEEN = new RegExp(
  [
    "(?![\\n\\t])[\\p{C}\\p{Zl}\\p{Zp}]",
    "(?![ \\u3000])\\p{Zs}",
    "[\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u2800\\u3164\\uFFA0\\uFE00-\\uFE0E\\u{E0100}-\\u{E01EF}]",
    "(?<!\\p{Emoji})\\uFE0F",
    "[\\u0334-\\u0338\\u0488\\u0489\\u20D0-\\u20FF]",
    "(?<=\\p{M}{2})\\p{M}",
  ].join("|"),
  "gu",
);

/** Printable text on one line that takes at most so many columns of the screen. */
export function oneLine(text: string, longest: number): string {
  // Of a text of megabytes the rest is not even looked at.
  const start = text.slice(0, Math.max(1, longest) * 8);
  const line = printable(start.replace(/[\p{Cc}\s]+/gu, " ")).trim();
  const isWhole = start.length === text.length && fitting(line, longest) === line;
  return isWhole ? line : `${fitting(line, longest - 1)}…`;
}

function fitting(line: string, columns: number): string {
  let [room, end] = [columns, 0];
  for (const letter of line) {
    room -= columnsOf(letter);
    if (room < 0) break;
    end += letter.length;
  }
  return line.slice(0, end);
}

class Spinner {
  readonly #isOn: boolean;
  #text: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  isHeld = false;

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  set(text: string | undefined): void {
    this.hide();
    this.#text = text;
  }

  show(): void {
    if (!this.#isOn || this.isHeld) return;
    if (this.#text === undefined || this.#timer !== undefined) return;
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
