/** Callers who wait for the same thing to come true. */
export class Waiters {
  #waiting: { resolve(): void; reject(error: unknown): void }[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  wait(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  resolve(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  reject(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
