/**
 * Looks for the first of several texts in a text that comes in pieces. What may be the beginning of such a text
 * is held back until it is decided.
 */
export class StopSequences {
  readonly #sequences: readonly string[];
  #held = "";

  constructor(sequences: readonly string[]) {
    this.#sequences = sequences.filter((sequence) => sequence !== "");
  }

  /** What may be shown after this piece, and the sequence that ends the text there, if there is one. */
  add(piece: string): { readonly text: string; readonly found: string | undefined } {
    const text = this.#held + piece;
    const first = this.#firstIn(text);
    if (first !== undefined) {
      this.#held = "";
      return { text: text.slice(0, first.at), found: first.sequence };
    }
    const shown = text.length - this.#heldLength(text);
    this.#held = text.slice(shown);
    return { text: text.slice(0, shown), found: undefined };
  }

  /** The text is over: returns what was held back. */
  flush(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  /** The earliest match. Of two that begin at the same place, the one that is complete first. */
  #firstIn(text: string): { readonly at: number; readonly sequence: string } | undefined {
    let first: { readonly at: number; readonly sequence: string } | undefined;
    for (const sequence of this.#sequences) {
      const at = text.indexOf(sequence);
      if (at < 0) continue;
      const end = at + sequence.length;
      const best =
        first === undefined ? Number.POSITIVE_INFINITY : first.at + first.sequence.length;
      if (end < best || (end === best && at < (first?.at ?? 0))) first = { at, sequence };
    }
    return first;
  }

  /** The length of the longest end of the text with which a sequence begins. */
  #heldLength(text: string): number {
    let longest = 0;
    for (const sequence of this.#sequences) {
      const most = Math.min(sequence.length - 1, text.length);
      for (let length = most; length > longest; length -= 1) {
        if (text.endsWith(sequence.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}
