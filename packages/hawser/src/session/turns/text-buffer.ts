import { HawserError } from "../../base/index.js";

const LONGEST_RECENT = 4096;

/** Text as it comes, for one reader, who gets all that has come since he last asked. */
export class TextBuffer implements AsyncIterable<string> {
  /** Told when the reader leaves before the end. */
  onLeft: () => void = () => {};
  #text = "";
  /** The newest of it, in pieces. */
  #recent = "";
  /** What the reader has not seen: kept apart, since cutting it off the whole would copy the whole. */
  #unread = "";
  #taken = false;
  #left = false;
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};

  get text(): string {
    if (this.#recent !== "") this.#settle();
    return this.#text;
  }

  get length(): number {
    return this.#text.length + this.#recent.length;
  }

  add(text: string): void {
    this.#recent += text;
    if (this.#recent.length > LONGEST_RECENT) this.#settle();
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
   * A text that is added to is a tree of all its pieces, which the garbage collector must look at
   * again and again; reading a character makes it one piece.
   */
  #settle(): void {
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
