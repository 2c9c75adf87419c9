import { widthOf } from "./wrap-text.js";

/** Breaks a text between words while it arrives in pieces. A word that is too long for a line is cut. */
export class StreamingWrap {
  readonly #width: number;
  readonly #indent: string;
  #column: number;
  /** The beginning of a word whose end has not arrived yet. */
  #word = "";

  /** `column` is where the text begins; later lines begin behind `indent`. */
  constructor(width: number, indent: string, column: number = indent.length) {
    this.#width = width;
    this.#indent = indent;
    this.#column = column;
  }

  /** Takes a piece; returns the text that can be shown now. */
  add(piece: string): string {
    let out = "";
    for (const character of piece) {
      if (/\s/.test(character)) out += this.flush() + this.#space(character);
      else {
        this.#word += character;
        if (this.#wordColumns() >= this.#width - this.#indent.length) out += this.flush();
      }
    }
    return out;
  }

  /** Returns the last word, which was held back. */
  flush(): string {
    const columns = this.#wordColumns();
    const isTooLong = this.#column + columns > this.#width && this.#column > this.#indent.length;
    const out = `${isTooLong ? this.#newLine() : ""}${this.#word}`;
    this.#column += columns;
    this.#word = "";
    return out;
  }

  #space(character: string): string {
    if (character === "\n") return this.#newLine();
    if (this.#column >= this.#width) return "";
    this.#column += 1;
    return " ";
  }

  #newLine(): string {
    this.#column = this.#indent.length;
    return `\n${this.#indent}`;
  }

  #wordColumns(): number {
    return widthOf(this.#word);
  }
}
