/** Callers who wait for the same thing to come true. */
export class Waiters {
  #waiting: Waiter[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /** `owner` is not garbage-collected as long as somebody waits. */
  wait(owner: object): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject, owner }));
  }

  resolve(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  /** If it is so, and still is when readers have had their turn: they see what came before. */
  resolveIf(quiet: () => boolean, resolved: () => void): void {
    if (this.size === 0 || !quiet()) return;
    setImmediate(() => {
      if (this.size === 0 || !quiet()) return;
      this.resolve();
      resolved();
    });
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
  readonly owner: object;
}
