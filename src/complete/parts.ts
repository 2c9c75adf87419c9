import type { Turn } from "../session/index.js";
import type { HostNotice } from "../wire/index.js";

export type Part = Turn | HostNotice;

/** What a call hands on, in order, for readers who may come at any time. */
export class Parts {
  readonly #list: Part[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => {};
  #changed: Promise<void> = this.#change();

  add(part: Part): void {
    this.#list.push(part);
    this.#wake();
  }

  /** The error is thrown to each reader after the last part. */
  end(error?: unknown): void {
    this.#end = error === undefined ? {} : { error };
    this.#wake();
  }

  /** Waits for it; undefined after the last one. */
  async at(index: number): Promise<Part | undefined> {
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
