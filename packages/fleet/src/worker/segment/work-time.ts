/** How long a segment has worked. The time in which it waits for a person does not count. */
export class WorkTime {
  #workedMs = 0;
  /** Undefined while the time stands still. */
  #since: number | undefined = performance.now();
  #waiting = 0;
  #limit: { readonly ms: number; readonly onOver: () => void } | undefined;
  #timer: NodeJS.Timeout | undefined;

  get workedMs(): number {
    return this.#workedMs + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Whether the segment waits for a person. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Calls back when the segment has worked for so long. */
  limit(ms: number, onOver: () => void): void {
    this.#limit = { ms, onOver };
    this.#startTimer();
  }

  /** Does not count the time until the promise is settled. */
  async exclude<Value>(waiting: Promise<Value>): Promise<Value> {
    this.#waiting += 1;
    if (this.#waiting === 1) this.#pause();
    try {
      return await waiting;
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#goOn();
    }
  }

  /** Nothing is called back any more. */
  stop(): void {
    this.#limit = undefined;
    clearTimeout(this.#timer);
  }

  #pause(): void {
    clearTimeout(this.#timer);
    this.#workedMs = this.workedMs;
    this.#since = undefined;
  }

  #goOn(): void {
    this.#since = performance.now();
    this.#startTimer();
  }

  #startTimer(): void {
    if (this.#limit === undefined || this.#since === undefined) return;
    const { ms, onOver } = this.#limit;
    const restMs = Math.max(0, ms - this.workedMs);
    this.#timer =
      restMs <= LONGEST_TIMER_MS
        ? setTimeout(onOver, restMs)
        : setTimeout(() => this.#startTimer(), LONGEST_TIMER_MS);
  }
}

/** The longest time that `setTimeout()` takes. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
