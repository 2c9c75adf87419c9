import type { HawserError } from "../../base/index.js";

export interface ThrottleOptions {
  /** Calls at once at most. */
  readonly concurrency: number;
  /** The clock of `startedAt` and `pausedUntil`. */
  readonly now?: () => number;
  /** The time of day, by which the API says when a limit is over. */
  readonly date?: () => number;
  readonly random?: () => number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** For a usage limit that does not say when it is over. */
const BLIND_PAUSE_MS = 60_000;
/** Node fires a timer that is longer than this at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** So that ten tenths are one. */
const ROUNDING = 1e-9;

/**
 * How many calls may run at once, and from when: half as many after the API has refused one, and one
 * more for each round that it has not. It refuses all that run together, so that only what was started
 * since the limit was last lowered says anything about it, be it good or bad.
 */
export class Throttle {
  readonly #concurrency: number;
  readonly #now: () => number;
  readonly #date: () => number;
  readonly #random: () => number;
  #allowed: number;
  #loweredAt = Number.NEGATIVE_INFINITY;
  /** How often the limit was lowered since a call last succeeded. */
  #lowered = 0;
  #retryAt = 0;
  #usageLimit: UsageLimit | undefined;

  constructor(options: ThrottleOptions) {
    const { concurrency, now = () => performance.now(), date = Date.now } = options;
    this.#concurrency = concurrency;
    this.#allowed = concurrency;
    this.#now = now;
    this.#date = date;
    this.#random = options.random ?? Math.random;
  }

  get limit(): number {
    return Math.floor(this.#allowed + ROUNDING);
  }

  /** By the clock that was given; 0 if nothing is paused. */
  get pausedUntil(): number {
    const until = Math.max(this.#retryAt, this.#resetAt());
    return until > this.#now() ? until : 0;
  }

  /** While it is paused for a usage limit. */
  get usageLimit(): HawserError | undefined {
    return this.#resetAt() > this.#now() ? this.#usageLimit?.error : undefined;
  }

  /** For a timer, so whole and never too long for one: when it is over, ask again. */
  msUntilOpen(): number {
    const ms = Math.ceil(Math.max(this.#retryAt, this.#resetAt()) - this.#now());
    return Math.min(Math.max(ms, 0), LONGEST_TIMER_MS);
  }

  succeeded(startedAt: number): void {
    if (startedAt < this.#loweredAt) return;
    this.#allowed = Math.min(this.#concurrency, this.#allowed + 1 / this.limit);
    this.#lowered = 0;
  }

  failed(error: HawserError, startedAt: number): void {
    if (error.code === "rate_limited" || error.code === "overloaded") {
      this.#slowDown(error, startedAt);
    } else if (error.code === "usage_limit") {
      this.#pauseForUsage(error);
    }
  }

  #slowDown({ retryAfterMs = 0 }: HawserError, startedAt: number): void {
    const now = this.#now();
    const isNews = startedAt >= this.#loweredAt;
    // What the API has asked for holds in any case, so that a jitter can only make it later.
    if (retryAfterMs > 0) this.#pause(now + retryAfterMs * (1 + this.#random() / 2));
    else if (isNews) this.#pause(now + this.#jittered(this.#backoffMs()));
    if (!isNews) return;
    this.#allowed = Math.max(1, this.#allowed / 2);
    this.#loweredAt = now;
    this.#lowered += 1;
  }

  #backoffMs(): number {
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#lowered);
  }

  #pause(until: number): void {
    this.#retryAt = Math.max(this.#retryAt, until);
  }

  #pauseForUsage(error: HawserError): void {
    const date = this.#date();
    const knownMs = (error.resetsAt?.getTime() ?? 0) - date;
    const ms = knownMs > 0 ? knownMs : this.#jittered(BLIND_PAUSE_MS);
    const until = this.#now() + ms;
    // Of two limits, the one that lasts longer counts.
    if (until <= this.#resetAt()) return;
    this.#usageLimit = { error, until, untilDate: date + ms };
  }

  /**
   * When the usage limit is over, by the clock that was given. The limit is over as soon as one of both
   * clocks says so: the clock of the program stands still while the machine sleeps, and the time of day
   * may be set back. If the time of day was set forward by mistake, the API refuses once more.
   */
  #resetAt(): number {
    if (this.#usageLimit === undefined) return 0;
    const { until, untilDate } = this.#usageLimit;
    return Math.min(until, this.#now() + untilDate - this.#date());
  }

  /** Pools that were refused together do not come back together. */
  #jittered(ms: number): number {
    return ms * (0.5 + this.#random());
  }
}

interface UsageLimit {
  readonly error: HawserError;
  /** By the clock of the program. */
  readonly until: number;
  /** By the time of day. */
  readonly untilDate: number;
}
