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
export class Inbox<T extends object> {
  readonly #options: InboxOptions;
  readonly #waiting: Waiter<T>[] = [];
  #batches: Batch<T>[] = [];
  /** The index of the batch that is read next. */
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
    this.pushAll([item], size);
  }

  /** Queues items that have this size together. The array is not copied, so it must not change. */
  pushAll(items: readonly T[], size: number): void {
    if (this.#discarding || this.#end !== undefined) return;
    const handed = this.#hand(items);
    const count = items.length - handed;
    if (count === 0) return;
    const each = Math.floor(size / items.length);
    const bytes = size - handed * each;
    this.#batches.push({ items, next: handed, end: items.length, each, bytes });
    this.#bytes += bytes;
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

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  /** The number of queued bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replaces the item that was queued last, if there is one. */
  replaceLast(
    change: (last: T) => { readonly item: T; readonly size: number } | undefined,
  ): boolean {
    const batch = this.#batches.at(-1);
    const last = batch?.items[batch.end - 1];
    const changed = last && change(last);
    if (batch === undefined || changed === undefined) return false;
    // The array of the batch may have other readers, so it is only shortened.
    batch.end -= 1;
    const left = batch.end === batch.next ? 0 : batch.bytes - batch.each;
    this.#bytes += left - batch.bytes + changed.size;
    batch.bytes = left;
    if (batch.end === batch.next) this.#batches.pop();
    const { item, size } = changed;
    this.#batches.push({ items: [item], next: 0, end: 1, each: size, bytes: size });
    this.#tellFull();
    return true;
  }

  /** Drops the queue and returns how much was in it. */
  clear(): { readonly count: number; readonly bytes: number } {
    const queued = this.#batches.slice(this.#next);
    const count = queued.reduce((sum, { next, end }) => sum + end - next, 0);
    const dropped = { count, bytes: this.#bytes };
    this.#batches = [];
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
    return new InboxReader(owner, this);
  }

  /** The next queued item, without waiting. */
  poll(): T | undefined {
    const batch = this.#batches[this.#next];
    if (batch === undefined) return undefined;
    const item = batch.items[batch.next];
    batch.next += 1;
    const isLast = batch.next === batch.end;
    const size = isLast ? batch.bytes : batch.each;
    batch.bytes -= size;
    this.#bytes -= size;
    if (isLast) this.#dropBatch();
    if (this.#full) this.#tellFull();
    return item;
  }

  /** The next item, or the end. To be called if nothing is queued. */
  wait(): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#discarding) return resolve(DONE);
      if (this.#end !== undefined) return this.#finish(waiter);
      this.#waiting.push(waiter);
      if (this.#waiting.length === 1) this.#options.onWaiting?.(true);
    });
  }

  /** The reader leaves: drops everything, now and from now on. */
  discard(): void {
    if (this.#discarding) return;
    this.#discarding = true;
    this.clear();
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(DONE);
    this.#options.onWaiting?.(false);
    this.#options.onLeft?.();
  }

  /** Gives the first items to the readers that wait; returns how many. */
  #hand(items: readonly T[]): number {
    if (this.#waiting.length === 0) return 0;
    let handed = 0;
    for (const value of items) {
      const waiter = this.#waiting.shift();
      if (waiter === undefined) break;
      waiter.resolve({ done: false, value });
      handed += 1;
    }
    if (this.#waiting.length === 0) this.#options.onWaiting?.(false);
    return handed;
  }

  #dropBatch(): void {
    this.#next += 1;
    if (this.#next === this.#batches.length) {
      this.#batches.length = 0;
      this.#next = 0;
    } else if (this.#next >= COMPACT_AT && this.#next * 2 >= this.#batches.length) {
      this.#batches = this.#batches.slice(this.#next);
      this.#next = 0;
    }
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

/** Items that were queued together. The items from `next` up to `end` are not read yet. */
interface Batch<T> {
  readonly items: readonly T[];
  next: number;
  end: number;
  /** The size of an item; the last item has what is left. */
  readonly each: number;
  /** The size of all items that are not read yet. */
  bytes: number;
}

export class InboxReader<T extends object> implements AsyncIterableIterator<T> {
  /** Held so that a connection whose reader is still alive is not garbage-collected. */
  readonly owner: object;
  readonly #inbox: Inbox<T>;

  constructor(owner: object, inbox: Inbox<T>) {
    this.owner = owner;
    this.#inbox = inbox;
  }

  /** The next item, if it is already queued. */
  poll(): T | undefined {
    return this.#inbox.poll();
  }

  next(): Promise<IteratorResult<T>> {
    const item = this.#inbox.poll();
    return item === undefined ? this.#inbox.wait() : Promise.resolve({ done: false, value: item });
  }

  async return(): Promise<IteratorResult<T>> {
    this.#inbox.discard();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
