import type { Turn } from "../session/index.js";
import type { HostNotice } from "../wire/index.js";

export type FeedItem = Turn | HostNotice;

/** What a call hands on, in order, for readers who may come at any time. */
export class CallFeed {
  /** Set by who reads the text: a new attempt could not take it back. */
  textWasRead = false;
  readonly #list: FeedItem[] = [];
  #anewFrom = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};
  #changed: Promise<void> = this.#change();

  add(part: FeedItem): void {
    this.#list.push(part);
    this.#wake();
  }

  /** What came before has failed, and the same begins once more. */
  startRetry(notice: HostNotice): void {
    this.#anewFrom = this.#list.length;
    this.add(notice);
  }

  /** Whether it belongs to an attempt that was given up. */
  isOfFailedAttempt(index: number): boolean {
    return index < this.#anewFrom;
  }

  /** The error is thrown to each reader after the last part. */
  close(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
  }

  /** Waits for it; undefined after the last one. */
  async at(index: number): Promise<FeedItem | undefined> {
    for (;;) {
      const part = this.#list[index];
      if (part !== undefined) return part;
      if (this.#end?.error !== undefined) throw this.#end.error;
      if (this.#end !== undefined) return undefined;
      await this.#changed;
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#changed = this.#change();
        resolve();
      };
    });
  }
}
