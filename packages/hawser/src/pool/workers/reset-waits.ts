/**
 * Decides when calls with the same options have waited for resets so long that one more process pays off.
 * A start costs as much as it takes, so it pays off when the waits together took as long. Waits of long ago
 * count less, because the calls may have stopped.
 */
export class ResetWaits {
  readonly #now: () => number;
  /** By request key; the latest last. */
  readonly #sums = new Map<string, Sum>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes that a call waited for a reset. True if a process now pays off that takes `startMs` to start. */
  add(requestKey: string, waitedMs: number, startMs: number): boolean {
    const now = this.#now();
    const { ms, at } = this.#sums.get(requestKey) ?? { ms: 0, at: now };
    const sum = ms * 2 ** ((at - now) / HALF_LIFE_MS) + waitedMs;
    this.#sums.delete(requestKey);
    if (sum >= startMs) return true;
    this.#sums.set(requestKey, { ms: sum, at: now });
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > MOST && oldest !== undefined) this.#sums.delete(oldest);
    return false;
  }
}

interface Sum {
  readonly ms: number;
  readonly at: number;
}

const HALF_LIFE_MS = 30_000;

/** How many sets of options are remembered. */
const MOST = 100;
