import { setTimeout as sleep } from "node:timers/promises";
import { HawserError } from "hawser";
import type { Database } from "../database/database.js";

/** A notification can be lost, for example behind a proxy. The table is asked at least so often. */
const POLL_MS = 1_000;

/**
 * Wakes those who wait for a change of a run: one listener for all readers of this program. A reader asks the table,
 * and is only woken by a notification.
 */
export class RunWatch {
  readonly #database: Database;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #closed = new AbortController();
  #listening: Promise<() => void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Begins to watch a run. Each `changed()` resolves when there may be something new since the call before it, so that
   * a change between a look at the table and the wait is not missed. Rejects with `aborted` or `closed`.
   */
  async follow(run: string, signal: AbortSignal | undefined): Promise<RunFollower> {
    await this.#listen();
    return new RunFollower(this, run, signal);
  }

  /** Ends all waiting with `closed`. */
  async close(): Promise<void> {
    this.#closed.abort();
    const stop = await this.#listening?.catch(() => undefined);
    stop?.();
  }

  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  add(run: string, wake: () => void): void {
    const wakes = this.#waiting.get(run) ?? new Set();
    this.#waiting.set(run, wakes.add(wake));
  }

  remove(run: string, wake: () => void): void {
    const wakes = this.#waiting.get(run);
    wakes?.delete(wake);
    if (wakes?.size === 0) this.#waiting.delete(run);
  }

  async #listen(): Promise<void> {
    this.throwIfClosed();
    this.#listening ??= this.#database.listen("event", (run) => this.#wake(run));
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  #wake(run: string | undefined): void {
    const runs = run === undefined ? [...this.#waiting.keys()] : [run];
    for (const id of runs) for (const wake of [...(this.#waiting.get(id) ?? [])]) wake();
  }

  throwIfClosed(): void {
    if (this.#closed.signal.aborted) throw new HawserError("closed", "The fleet is closed.");
  }
}

/** One reader of one run. */
export class RunFollower implements Disposable {
  readonly #watch: RunWatch;
  readonly #run: string;
  readonly #signal: AbortSignal | undefined;
  #hasChanged = false;
  #resolve: (() => void) | undefined;

  constructor(watch: RunWatch, run: string, signal: AbortSignal | undefined) {
    this.#watch = watch;
    this.#run = run;
    this.#signal = signal;
    watch.add(run, this.#wake);
    watch.closed.addEventListener("abort", this.#wake);
    signal?.addEventListener("abort", this.#wake);
  }

  /** Call it before a look at the table. */
  begin(): void {
    this.#watch.throwIfClosed();
    if (this.#signal?.aborted === true) {
      throw new HawserError("aborted", "The waiting for the run was aborted.", {
        reason: this.#signal.reason,
      });
    }
    this.#hasChanged = false;
  }

  /** Resolves when something may have changed since `begin()`, at the latest after a second. */
  async changed(): Promise<void> {
    if (this.#hasChanged) return;
    const poll = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#resolve = resolve;
    });
    const polled = sleep(POLL_MS, undefined, { signal: poll.signal }).catch(() => undefined);
    await Promise.race([woken, polled]);
    poll.abort();
    this.#resolve = undefined;
  }

  [Symbol.dispose](): void {
    this.#watch.remove(this.#run, this.#wake);
    this.#watch.closed.removeEventListener("abort", this.#wake);
    this.#signal?.removeEventListener("abort", this.#wake);
  }

  readonly #wake = (): void => {
    this.#hasChanged = true;
    this.#resolve?.();
  };
}
