import type { ApprovalChange } from "./approval-record.js";

/**
 * One reader of changes. Its queue is bounded: a reader that is too slow loses the oldest changes, and is
 * told how many.
 */
export class ChangeReader implements AsyncIterableIterator<ApprovalChange> {
  readonly #limit: number;
  readonly #onEnd: (reader: ChangeReader) => void;
  readonly #queue: ApprovalChange[] = [];
  readonly #waiting: ((result: IteratorResult<ApprovalChange, undefined>) => void)[] = [];
  #missed = 0;
  #isOver = false;

  constructor(limit: number, onEnd: (reader: ChangeReader) => void) {
    this.#limit = limit;
    this.#onEnd = onEnd;
  }

  push(change: ApprovalChange): void {
    if (this.#isOver) return;
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next({ done: false, value: change });
      return;
    }
    this.#queue.push(change);
    if (this.#queue.length <= this.#limit) return;
    this.#queue.shift();
    this.#missed += 1;
  }

  /** Ends the iteration after the changes that are in the queue. */
  end(): void {
    this.#isOver = true;
    for (const next of this.#waiting.splice(0)) next({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<ApprovalChange, undefined>> {
    const count = this.#missed;
    if (count > 0) {
      this.#missed = 0;
      return Promise.resolve({ done: false, value: { type: "missed", count } });
    }
    const value = this.#queue.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<ApprovalChange, undefined>> {
    this.#queue.length = 0;
    this.#missed = 0;
    this.end();
    this.#onEnd(this);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
