import { HawserError } from "../base/index.js";

export interface InboxOptions {
  /** Called when a reader begins to wait for an item, and when no reader waits any more. */
  readonly onWaiting?: (waiting: boolean) => void;
  /** Called when the queue exceeds its limit, and when it no longer does. */
  readonly onFull?: (full: boolean) => void;
  /** Called when the reader leaves before the end. */
  readonly onLeft?: () => void;
  /**
   * The limit of the queue, in bytes.
   * @default 32 MiB
   */
  readonly highMark?: number;
}

/** A queue between a writer that never waits and a reader that does. */
export class Inbox<T> {
  readonly #options: InboxOptions;
  readonly #waiting: Waiter<T>[] = [];
  #items: T[] = [];
  #sizes: number[] = [];
  #next = 0;
  #bytes = 0;
  #full = false;
  #taken = false;
  #discarding = false;
  #end: { readonly error?: unknown } | undefined;
  #follow: (() => Promise<IteratorResult<T>>) | undefined;

  constructor(options: InboxOptions = {}) {
    this.#options = options;
  }

  push(item: T, size: number): void {
    if (this.#discarding || this.#end !== undefined) return;
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: item });
      if (this.#waiting.length === 0) this.#options.onWaiting?.(false);
      return;
    }
    this.#items.push(item);
    this.#sizes.push(size);
    this.#bytes += size;
    this.#tellFull();
  }

  /** Whether there is a reader, or was one. */
  get taken(): boolean {
    return this.#taken;
  }

  /** Whether a reader waits for an item. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Whether the queue exceeds its limit. */
  get full(): boolean {
    return this.#full;
  }

  /** The number of queued bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replaces the item that was queued last, if there is one. */
  replaceLast(
    change: (last: T) => { readonly item: T; readonly size: number } | undefined,
  ): boolean {
    const index = this.#items.length - 1;
    const last = index < this.#next ? undefined : this.#items[index];
    const changed = last && change(last);
    if (changed === undefined) return false;
    this.#bytes += changed.size - (this.#sizes[index] ?? 0);
    this.#items[index] = changed.item;
    this.#sizes[index] = changed.size;
    this.#tellFull();
    return true;
  }

  /** Drops the queue and returns how much was in it. */
  clear(): { readonly count: number; readonly bytes: number } {
    const dropped = { count: this.#items.length - this.#next, bytes: this.#bytes };
    this.#items = [];
    this.#sizes = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#tellFull();
    return dropped;
  }

  /** Ends the queue. Queued items can still be read; then the error is thrown, if there is one. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    for (const [i, waiter] of waiting.entries()) {
      if (i === 0) this.#finish(waiter);
      else waiter.resolve(DONE);
    }
    this.#options.onWaiting?.(false);
  }

  /**
   * The only reader. If the reader leaves early, later items are discarded. The reader keeps
   * `owner` from being garbage-collected. The result of `follow` replaces the end or the error for
   * the reader.
   */
  read(owner: object, follow?: () => Promise<IteratorResult<T>>): InboxReader<T> {
    if (this.#taken) throw new HawserError("already_consumed");
    this.#taken = true;
    this.#follow = follow;
    return new InboxReader(
      owner,
      () => this.#take(),
      () => this.#poll(),
      () => this.#discard(),
    );
  }

  /** The next queued item, without waiting. */
  #poll(): T | undefined {
    const item = this.#items[this.#next];
    if (item !== undefined) this.#drop();
    return item;
  }

  #take(): Promise<IteratorResult<T>> {
    const item = this.#poll();
    if (item !== undefined) return Promise.resolve({ done: false, value: item });
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#discarding) return resolve(DONE);
      if (this.#end !== undefined) return this.#finish(waiter);
      this.#waiting.push(waiter);
      if (this.#waiting.length === 1) this.#options.onWaiting?.(true);
    });
  }

  #drop(): void {
    this.#bytes -= this.#sizes[this.#next] ?? 0;
    this.#next += 1;
    if (this.#next === this.#items.length) {
      this.#items.length = 0;
      this.#sizes.length = 0;
      this.#next = 0;
    } else if (this.#next >= COMPACT_AT && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#sizes = this.#sizes.slice(this.#next);
      this.#next = 0;
    }
    this.#tellFull();
  }

  #discard(): void {
    if (this.#discarding) return;
    this.#discarding = true;
    this.clear();
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(DONE);
    this.#options.onWaiting?.(false);
    this.#options.onLeft?.();
  }

  #finish(waiter: Waiter<T>): void {
    const error = this.#end?.error;
    this.#end = {};
    if (this.#follow !== undefined) {
      waiter.resolve(this.#follow());
      return;
    }
    if (error === undefined) waiter.resolve(DONE);
    else waiter.reject(error);
  }

  #tellFull(): void {
    const { highMark = HIGH_MARK } = this.#options;
    const full = this.#bytes > (this.#full ? highMark / 4 : highMark);
    if (full === this.#full) return;
    this.#full = full;
    this.#options.onFull?.(full);
  }
}

const HIGH_MARK = 32 * 1024 * 1024;
const COMPACT_AT = 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

interface Waiter<T> {
  resolve(result: IteratorResult<T> | Promise<IteratorResult<T>>): void;
  reject(error: unknown): void;
}

export class InboxReader<T> implements AsyncIterableIterator<T> {
  /** Held so that a connection whose reader is still alive is not garbage-collected. */
  readonly owner: object;
  readonly #take: () => Promise<IteratorResult<T>>;
  readonly #poll: () => T | undefined;
  readonly #leave: () => void;

  constructor(
    owner: object,
    take: () => Promise<IteratorResult<T>>,
    poll: () => T | undefined,
    leave: () => void,
  ) {
    this.owner = owner;
    this.#take = take;
    this.#poll = poll;
    this.#leave = leave;
  }

  /** The next item, if it is already queued. */
  poll(): T | undefined {
    return this.#poll();
  }

  next(): Promise<IteratorResult<T>> {
    return this.#take();
  }

  async return(): Promise<IteratorResult<T>> {
    this.#leave();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
