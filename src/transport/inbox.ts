import { HawserError } from "../errors/index.js";

export interface InboxEvents {
  /** Somebody began to wait for an item, or no one waits any more. */
  readonly onWaiting?: (waiting: boolean) => void;
  /** More is queued than the reader should be allowed to fall behind, or no longer. */
  readonly onFull?: (full: boolean) => void;
  /** The reader left before the end. */
  readonly onLeft?: () => void;
  /** Bytes that are too many; 32 MiB unless given. */
  readonly highMark?: number;
}

/** A queue between one writer that never waits and one reader that does. */
export class Inbox<T> {
  readonly #events: InboxEvents;
  readonly #waiting: Waiter<T>[] = [];
  #items: { readonly item: T; readonly size: number }[] = [];
  #next = 0;
  #bytes = 0;
  #full = false;
  #taken = false;
  #discarding = false;
  #end: { readonly error?: unknown } | undefined;

  constructor(events: InboxEvents = {}) {
    this.#events = events;
  }

  push(item: T, size: number): void {
    if (this.#discarding || this.#end !== undefined) return;
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) {
      waiter.resolve({ done: false, value: item });
      if (this.#waiting.length === 0) this.#events.onWaiting?.(false);
      return;
    }
    this.#items.push({ item, size });
    this.#bytes += size;
    this.#tellFull();
  }

  /** Whether somebody reads, or has read. */
  get taken(): boolean {
    return this.#taken;
  }

  /** The bytes that are queued. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Puts another item in the place of the one that was queued last, if there is one to replace. */
  replaceLast(
    change: (last: T) => { readonly item: T; readonly size: number } | undefined,
  ): boolean {
    const index = this.#items.length - 1;
    const last = index < this.#next ? undefined : this.#items[index];
    const changed = last && change(last.item);
    if (last === undefined || changed === undefined) return false;
    this.#items[index] = changed;
    this.#bytes += changed.size - last.size;
    this.#tellFull();
    return true;
  }

  /** Forgets what is queued; tells how much it was. */
  clear(): { readonly count: number; readonly bytes: number } {
    const forgotten = { count: this.#items.length - this.#next, bytes: this.#bytes };
    this.#items = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#tellFull();
    return forgotten;
  }

  /** No more items. What is queued can still be read, then the error is thrown, if there is one. */
  end(error?: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = error === undefined ? {} : { error };
    const waiting = this.#waiting.splice(0);
    if (waiting.length === 0) return;
    for (const [i, waiter] of waiting.entries()) {
      if (i === 0) this.#finish(waiter);
      else waiter.resolve(DONE);
    }
    this.#events.onWaiting?.(false);
  }

  /** The one reader. Leaving it early discards what comes later; `owner` lives as long as it does. */
  read(owner: object): AsyncIterableIterator<T> {
    if (this.#taken) throw new HawserError("already_consumed");
    this.#taken = true;
    return new Reader(
      owner,
      () => this.#take(),
      () => this.#discard(),
    );
  }

  #take(): Promise<IteratorResult<T>> {
    const queued = this.#items[this.#next];
    if (queued !== undefined) {
      this.#drop(queued.size);
      return Promise.resolve({ done: false, value: queued.item });
    }
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#discarding) return resolve(DONE);
      if (this.#end !== undefined) return this.#finish(waiter);
      this.#waiting.push(waiter);
      if (this.#waiting.length === 1) this.#events.onWaiting?.(true);
    });
  }

  #drop(size: number): void {
    this.#next += 1;
    this.#bytes -= size;
    if (this.#next === this.#items.length) {
      this.#items = [];
      this.#next = 0;
    } else if (this.#next >= COMPACT_AT && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    this.#tellFull();
  }

  #discard(): void {
    if (this.#discarding) return;
    this.#discarding = true;
    this.clear();
    for (const waiter of this.#waiting.splice(0)) waiter.resolve(DONE);
    this.#events.onWaiting?.(false);
    this.#events.onLeft?.();
  }

  #finish(waiter: Waiter<T>): void {
    const error = this.#end?.error;
    this.#end = {};
    if (error === undefined) waiter.resolve(DONE);
    else waiter.reject(error);
  }

  #tellFull(): void {
    const { highMark = HIGH_MARK } = this.#events;
    const full = this.#bytes > (this.#full ? highMark / 4 : highMark);
    if (full === this.#full) return;
    this.#full = full;
    this.#events.onFull?.(full);
  }
}

const HIGH_MARK = 32 * 1024 * 1024;
const COMPACT_AT = 1024;
const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined };

interface Waiter<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

class Reader<T> implements AsyncIterableIterator<T> {
  /** Held so that a line whose reader still lives is not garbage-collected. */
  readonly owner: object;
  readonly #take: () => Promise<IteratorResult<T>>;
  readonly #leave: () => void;

  constructor(owner: object, take: () => Promise<IteratorResult<T>>, leave: () => void) {
    this.owner = owner;
    this.#take = take;
    this.#leave = leave;
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
