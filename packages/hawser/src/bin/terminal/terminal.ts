import type { WriteStream } from "node:tty";
import { oneLine, printable } from "../../base/index.js";
import { wrapText } from "./wrap-text.js";

/**
 * The output of the command: the answer on stdout, everything else on stderr. Colours, status and notes
 * appear only if stderr is a terminal.
 */
export class Terminal {
  readonly style: Style = styleOf(process.stderr);
  /** The style of stdout. */
  readonly outStyle: Style = styleOf(process.stdout);
  /** Whether a user sees stderr. */
  readonly isWatched: boolean;
  /** Whether a user sees stdout. */
  readonly isShown: boolean = process.stdout.isTTY === true;
  /** Whether a user can be asked. */
  readonly isInteractive: boolean;
  readonly #isQuiet: boolean;
  readonly #spinner: Spinner;
  #midLine = false;
  #isHeld = false;
  /** Output that is shown once the user has answered. */
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
   * A line beside the answer, for a user, broken at words; `text` may be styled, so it must be
   * printable already.
   */
  note(text: string): void {
    if (this.#isHeld) this.#waiting.push(() => this.tell(text));
    else this.tell(text);
  }

  /** A line that belongs to the question that the user is asked. */
  tell(text: string): void {
    if (!this.isWatched) return;
    this.#spinner.hide();
    // If stdout is not the same screen, its unfinished line does not matter here.
    if (this.isShown) this.#endLine();
    process.stderr.write(`${wrapText(text, this.width)}\n`);
    this.#spinner.show();
  }

  /** A line that is also written where stderr is a log. */
  warn(text: string): void {
    if (this.#isQuiet) return;
    if (this.isWatched) this.note(this.style.yellow(`! ${printable(text)}`));
    else process.stderr.write(`hawser: ${printable(text)}\n`);
  }

  /** Shows what is going on in the last line, until the next output. */
  status(text: string | undefined): void {
    this.#spinner.set(text);
    this.#showSpinner();
  }

  /**
   * While a user is asked, everything else waits: otherwise a model could push what it wants to do
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
