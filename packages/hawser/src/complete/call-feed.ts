import type { Turn } from "../session/index.js";
import type { HostNotice } from "../wire/index.js";

export type FeedItem = Turn | HostNotice;

/** The turns and notices of a call in order. Readers may start at any time, and read by index. */
export class CallFeed {
  /** Set by a reader of the text, because a new attempt cannot take back the text that was read. */
  textWasRead = false;
  readonly #items: FeedItem[] = [];
  /** The index of the first item of the current attempt. */
  #attemptStart = 0;
  #closed: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};
  #changed: Promise<void> = this.#nextChange();

  /** The newest turn; undefined before the first. */
  get lastTurn(): Turn | undefined {
    return this.#items.findLast(isTurn);
  }

  get state(): "running" | "ended" | "failed" {
    if (this.#closed === undefined) return "running";
    return this.#closed.error === undefined ? "ended" : "failed";
  }

  add(item: FeedItem): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Marks all items so far as those of a failed attempt. The notice is the first item of the next. */
  startRetry(notice: HostNotice): void {
    this.#attemptStart = this.#items.length;
    this.add(notice);
  }

  isOfFailedAttempt(index: number): boolean {
    return index < this.#attemptStart;
  }

  /** Each reader gets the error after the last item. */
  close(error?: unknown): void {
    this.#closed = error === undefined ? {} : { error };
    this.#wake();
  }

  /** Waits for the item. Resolves with undefined after the last item of a call that succeeded. */
  async at(index: number): Promise<FeedItem | undefined> {
    for (;;) {
      const item = this.#items[index];
      if (item !== undefined) return item;
      if (this.#closed?.error !== undefined) throw this.#closed.error;
      if (this.#closed !== undefined) return undefined;
      await this.#changed;
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#changed = this.#nextChange();
        resolve();
      };
    });
  }
}

export function isTurn(item: FeedItem): item is Turn {
  return Symbol.asyncIterator in item;
}
