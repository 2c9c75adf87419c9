import { HawserError } from "../../base/index.js";

const LONGEST_RECENT = 4096;

/** Text as it arrives, for one reader. The reader gets all text that has arrived since its last read. */
export class TextBuffer implements AsyncIterable<string> {
  /** Called when the reader leaves before the end. */
  onLeft: () => void = () => {};
  #text = "";
  /** The newest text, in pieces. */
  #recent = "";
  /** The text that the reader has not seen. Kept apart, because slicing the whole would copy it. */
  #unread = "";
  #taken = false;
  #left = false;
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};

  get text(): string {
    if (this.#recent !== "") this.#flatten();
    return this.#text;
  }

  get length(): number {
    return this.#text.length + this.#recent.length;
  }

  add(text: string): void {
    this.#recent += text;
    if (this.#recent.length > LONGEST_RECENT) this.#flatten();
    if (this.#taken && !this.#left) this.#unread += text;
    this.#wake();
  }

  /** The error is thrown to the reader after the text. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    if (this.#taken) throw new HawserError("already_consumed");
    this.#taken = true;
    this.#unread = this.text;
    const pieces = this.#read();
    return {
      next: () => pieces.next(),
      return: () => {
        this.#leave();
        return pieces.return(undefined);
      },
    };
  }

  /**
   * A string that is built by appending is a tree of its pieces, which the garbage collector must visit
   * again and again; reading a character makes it one piece.
   */
  #flatten(): void {
    this.#recent.charCodeAt(0);
    this.#text += this.#recent;
    this.#recent = "";
  }

  #leave(): void {
    if (this.#left || this.#end !== undefined) return;
    this.#left = true;
    this.#unread = "";
    this.#wake();
    this.onLeft();
  }

  async *#read(): AsyncGenerator<string, undefined> {
    for (;;) {
      if (this.#left) return;
      if (this.#unread !== "") {
        const fresh = this.#unread;
        this.#unread = "";
        yield fresh;
      } else if (this.#end !== undefined) {
        if (this.#end.error !== undefined) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
