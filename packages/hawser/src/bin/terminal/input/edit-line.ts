import type { Input, Key } from "./input-decoder.js";

/** What the caller must do after an input. */
export type Effect = "changed" | "enter" | "complete" | "interrupt" | "end" | "suspend" | "redraw";

type EditKey = Exclude<Key, Effect | "end-or-delete">;

/** The text that a user edits; it may have several lines. */
export class EditLine {
  #text = "";
  #cursor = 0;
  #removed = "";
  /** Earlier texts, the latest first. */
  readonly #history: readonly string[];
  /** Which of the earlier texts is shown; -1 for none. */
  #place = -1;
  /** The text that was typed before the user went to an earlier text. */
  #draft = "";

  readonly #edits: Readonly<Record<EditKey, () => void>> = {
    newline: () => this.#insert("\n"),
    backspace: () => this.#remove(this.#left()),
    delete: () => this.#remove(this.#right()),
    left: () => this.#moveTo(this.#left()),
    right: () => this.#moveTo(this.#right()),
    up: () => this.#goUp(),
    down: () => this.#goDown(),
    "line-start": () => this.#moveTo(this.#lineStart(this.#cursor)),
    "line-end": () => this.#moveTo(this.#lineEnd(this.#cursor)),
    "word-left": () => this.#moveTo(this.#wordLeft()),
    "word-right": () => this.#moveTo(this.#wordRight()),
    "delete-word-left": () => this.#cut(this.#wordLeft()),
    "delete-word-right": () => this.#cut(this.#wordRight()),
    "delete-to-start": () => this.#cut(this.#lineStart(this.#cursor)),
    "delete-to-end": () => this.#cut(this.#lineEnd(this.#cursor)),
    "put-back": () => this.#insert(this.#removed),
    older: () => this.#recall(1),
    newer: () => this.#recall(-1),
    "paste-end": () => {},
  };

  constructor(history: readonly string[] = []) {
    this.#history = history;
  }

  get text(): string {
    return this.#text;
  }

  /** Where the next character goes. */
  get cursor(): number {
    return this.#cursor;
  }

  /** Removes the whole text. The key "put-back" restores it. */
  clear(): void {
    this.#cursor = this.#text.length;
    this.#cut(0);
    this.#place = -1;
  }

  /** Replaces the text between `from` and the cursor. */
  replace(from: number, text: string): void {
    this.#remove(from);
    this.#insert(text);
  }

  apply(input: Input): Effect {
    if (input.kind === "text") {
      this.#insert(input.text);
      return "changed";
    }
    switch (input.key) {
      case "interrupt":
      case "suspend":
      case "redraw":
      case "complete":
        return input.key;
      case "enter":
        // As in `claude` and in a shell, a backslash at the end starts another line.
        if (this.#text.slice(0, this.#cursor).endsWith("\\")) {
          this.#remove(this.#cursor - 1);
          this.#insert("\n");
          return "changed";
        }
        return "enter";
      case "end-or-delete":
        if (this.#text === "") return "end";
        this.#remove(this.#right());
        return "changed";
      default:
        this.#edits[input.key]();
        return "changed";
    }
  }

  #insert(text: string): void {
    this.#text = this.#text.slice(0, this.#cursor) + text + this.#text.slice(this.#cursor);
    this.#cursor += text.length;
  }

  #moveTo(place: number): void {
    this.#cursor = place;
  }

  /** Removes the text between the cursor and another place. */
  #remove(to: number): void {
    const [from, end] = to < this.#cursor ? [to, this.#cursor] : [this.#cursor, to];
    this.#text = this.#text.slice(0, from) + this.#text.slice(end);
    this.#cursor = from;
  }

  /** Removes the text between the cursor and a place, and keeps it for the key "put-back". */
  #cut(to: number): void {
    if (to === this.#cursor) return;
    this.#removed = this.#text.slice(Math.min(to, this.#cursor), Math.max(to, this.#cursor));
    this.#remove(to);
  }

  #goUp(): void {
    const start = this.#lineStart(this.#cursor);
    if (start === 0) this.#recall(1);
    else this.#moveTo(this.#sameColumn(start - 1));
  }

  #goDown(): void {
    const end = this.#lineEnd(this.#cursor);
    if (end === this.#text.length) this.#recall(-1);
    else this.#moveTo(this.#sameColumn(end + 1));
  }

  /** Goes to an older (1) or newer (-1) text. */
  #recall(step: 1 | -1): void {
    const place = this.#place + step;
    if (place < -1 || place >= this.#history.length) return;
    if (this.#place === -1) this.#draft = this.#text;
    this.#place = place;
    this.#text = place === -1 ? this.#draft : (this.#history[place] ?? "");
    this.#cursor = this.#text.length;
  }

  /** One character, as a user sees it, to the left. */
  #left(): number {
    const from = Math.max(0, this.#cursor - LONGEST_CHARACTER);
    const before = [...characters.segment(this.#text.slice(from, this.#cursor))];
    return this.#cursor - (before.at(-1)?.segment.length ?? 0);
  }

  #right(): number {
    const after = this.#text.slice(this.#cursor, this.#cursor + LONGEST_CHARACTER);
    const [first] = characters.segment(after);
    return this.#cursor + (first?.segment.length ?? 0);
  }

  #wordLeft(): number {
    let place = this.#cursor;
    while (place > 0 && isSpace(this.#text[place - 1])) place -= 1;
    while (place > 0 && !isSpace(this.#text[place - 1])) place -= 1;
    return place;
  }

  #wordRight(): number {
    const after = this.#text.slice(this.#cursor);
    return this.#cursor + (/^\s*\S*/.exec(after)?.[0].length ?? 0);
  }

  #lineStart(place: number): number {
    return place === 0 ? 0 : this.#text.lastIndexOf("\n", place - 1) + 1;
  }

  #lineEnd(place: number): number {
    const end = this.#text.indexOf("\n", place);
    return end < 0 ? this.#text.length : end;
  }

  /** The place in the line around `place` with as many characters before it as before the cursor. */
  #sameColumn(place: number): number {
    const column = this.#cursor - this.#lineStart(this.#cursor);
    return Math.min(this.#lineStart(place) + column, this.#lineEnd(place));
  }
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

const characters = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** In code units: looking at more than this for each key would be slow in a long text. */
const LONGEST_CHARACTER = 64;
