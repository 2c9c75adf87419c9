/** An input at the keyboard: text that was typed or pasted, or a key with a function. */
export type Input =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "key"; readonly key: Key };

export type Key =
  | "enter"
  | "newline"
  | "complete"
  | "interrupt"
  | "end-or-delete"
  | "suspend"
  | "redraw"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "line-start"
  | "line-end"
  | "word-left"
  | "word-right"
  | "delete-word-left"
  | "delete-word-right"
  | "delete-to-start"
  | "delete-to-end"
  | "put-back"
  | "older"
  | "newer"
  | "paste-end";

/**
 * Turns the input of a terminal into keys and text. With bracketed paste the terminal marks pasted
 * text. Without it, several lines that arrive in one chunk count as pasted, because no user types
 * that fast. The chunks of a marked paste may be cut anywhere, also inside a marker.
 */
export class InputDecoder {
  /** The beginning of an escape sequence, or of an end marker, whose rest is still to come. */
  #held = "";
  #isPasting = false;
  /** Whether the last character of the paste was a carriage return: a line feed after it is no second break. */
  #endsInReturn = false;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** When lines last arrived in one chunk, without markers. */
  #linesAt = Number.NEGATIVE_INFINITY;

  /** Whether the end of a marked paste is still to come. */
  get isPasting(): boolean {
    return this.#isPasting;
  }

  /** @param now milliseconds of a clock that never goes back */
  decode(chunk: string, now: number): Input[] {
    const inputs: Input[] = [];
    const pauseMs = now - this.#lastAt;
    this.#lastAt = now;
    if (this.#isPasting && pauseMs >= STALLED_MS && LONE_KEYS.includes(chunk)) {
      // The end marker was lost: without this rule the user could neither send nor leave.
      inputs.push(...this.#endPaste());
      this.#held = "";
    }
    // Esc alone and the first byte of a sequence look the same, but the rest of a sequence follows at once.
    if (!this.#isPasting && this.#held === "\x1b" && pauseMs > ESCAPE_MS) this.#held = "";
    if (!this.#isPasting && this.#held === "" && this.#looksPasted(chunk, now)) {
      return [...inputs, { kind: "text", text: withLineFeeds(chunk) }];
    }
    let rest = this.#held + chunk;
    this.#held = "";
    while (rest !== "") {
      const taken = this.#isPasting ? this.#pasted(rest, inputs) : this.#typed(rest, inputs);
      if (taken === 0) {
        this.#held = rest;
        break;
      }
      rest = rest.slice(taken);
    }
    return inputs;
  }

  #looksPasted(chunk: string, now: number): boolean {
    if (chunk === "\r" || CONTROLS.test(chunk)) return false;
    // A line break at the start or the end of a chunk may be Enter, pressed while the program was busy.
    const isLines = withLineFeeds(chunk)
      .replace(/^\n+|\n+$/g, "")
      .includes("\n");
    if (!isLines && now - this.#linesAt >= TOGETHER_MS) return false;
    this.#linesAt = now;
    return true;
  }

  /** Takes text of a marked paste; returns how many characters were taken. */
  #pasted(rest: string, inputs: Input[]): number {
    const end = rest.indexOf(PASTE_END);
    const length = end < 0 ? rest.length - heldLength(rest) : end;
    const raw = rest.slice(this.#endsInReturn && rest.startsWith("\n") ? 1 : 0, length);
    if (length > 0) this.#endsInReturn = rest[length - 1] === "\r";
    if (raw !== "") inputs.push({ kind: "text", text: withLineFeeds(raw) });
    if (end < 0) return length;
    inputs.push(...this.#endPaste());
    return end + PASTE_END.length;
  }

  #endPaste(): Input[] {
    this.#isPasting = false;
    this.#endsInReturn = false;
    return [{ kind: "key", key: "paste-end" }];
  }

  #typed(rest: string, inputs: Input[]): number {
    if (rest.startsWith(PASTE_START)) {
      this.#isPasting = true;
      return PASTE_START.length;
    }
    const text = PRINTABLE.exec(rest)?.[0];
    if (text !== undefined) {
      inputs.push({ kind: "text", text });
      return text.length;
    }
    const sequence = SEQUENCE.exec(rest)?.[0];
    if (sequence === undefined) return UNFINISHED.test(rest) ? 0 : 1;
    const key = keyOf(sequence);
    if (key !== undefined) inputs.push({ kind: "key", key });
    return sequence.length;
  }
}

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

/** A terminal sends all of a paste at once; a single key after such a pause was pressed by a user. */
const STALLED_MS = 500;
const LONE_KEYS = ["\r", "\n", "\x03", "\x04"];

/** A terminal sends the bytes of an escape sequence together; after this pause Esc was pressed alone. */
const ESCAPE_MS = 50;

/** Chunks that follow each other so closely belong to the same paste. */
const TOGETHER_MS = 100;

/** Control characters that do not occur in pasted lines of text. */
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
/** A tab with text after it in the same chunk was pasted, because a user who presses Tab waits for the result. */
const PRINTABLE = /^(?:[^\x00-\x1f\x7f]|\t+(?=[^\x00-\x1f\x7f]))+/;
/** A control character; or an escape sequence: CSI, SS3, or a key with Alt. */
const SEQUENCE =
  /^(?:\x1b\[\[.|\x1b\[[0-?]*[ -/]*[@-Z\\-~]|\x1bO[ -~]|\x1b[^[O\x1b]|\x1b(?=\x1b)|[\x00-\x1a\x1c-\x1f\x7f])/su;
const UNFINISHED = /^\x1b(?:\[\[?|\[[0-?]*[ -/]*|O)?$/;

/** How much of the end may be the beginning of an end marker. */
function heldLength(text: string): number {
  for (let length = PASTE_END.length - 1; length > 0; length -= 1) {
    if (text.endsWith(PASTE_END.slice(0, length))) return length;
  }
  return 0;
}

function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function keyOf(sequence: string): Key | undefined {
  // With Shift, Alt or Ctrl; in the ways of xterm and of kitty.
  if (/^\x1b\[(?:13;\d+u|27;\d+;13~)$/.test(sequence)) return "newline";
  return KEYS[sequence] ?? KEYS[sequence.replace(/^\x1b(?=[\x00-\x1f])/, "")];
}

const KEYS: Readonly<Record<string, Key>> = {
  "\r": "enter",
  // In text typed before the question appeared, Enter is a line feed.
  "\n": "enter",
  "\t": "complete",
  "\x1b\r": "newline",
  "\x1b\n": "newline",
  "\x03": "interrupt",
  "\x04": "end-or-delete",
  "\x1a": "suspend",
  "\x0c": "redraw",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x1b[3~": "delete",
  "\x02": "left",
  "\x1b[D": "left",
  "\x1bOD": "left",
  "\x06": "right",
  "\x1b[C": "right",
  "\x1bOC": "right",
  "\x1b[A": "up",
  "\x1bOA": "up",
  "\x1b[B": "down",
  "\x1bOB": "down",
  "\x01": "line-start",
  "\x1b[H": "line-start",
  "\x1bOH": "line-start",
  "\x1b[1~": "line-start",
  "\x1b[7~": "line-start",
  "\x05": "line-end",
  "\x1b[F": "line-end",
  "\x1bOF": "line-end",
  "\x1b[4~": "line-end",
  "\x1b[8~": "line-end",
  "\x1bb": "word-left",
  "\x1b[1;5D": "word-left",
  "\x1b[1;3D": "word-left",
  "\x1bf": "word-right",
  "\x1b[1;5C": "word-right",
  "\x1b[1;3C": "word-right",
  "\x17": "delete-word-left",
  "\x1b\x7f": "delete-word-left",
  "\x1b\b": "delete-word-left",
  "\x1bd": "delete-word-right",
  "\x15": "delete-to-start",
  "\x0b": "delete-to-end",
  "\x19": "put-back",
  "\x10": "older",
  "\x0e": "newer",
};
