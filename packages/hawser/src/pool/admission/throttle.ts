import { type HawserError, LONGEST_TIMER_MS } from "../../base/index.js";

export interface ThrottleOptions {
  /** How many calls may run at once at most. */
  readonly concurrency: number;
  /** The clock of `startedAt` and `pausedUntil`. */
  readonly now?: () => number;
  /** The time of day. The API gives the end of a usage limit by it. */
  readonly date?: () => number;
  readonly random?: () => number;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** For a usage limit without a known end. */
const BLIND_PAUSE_MS = 60_000;
/** Tolerance for floating-point sums (10 × 0.1 < 1). */
const ROUNDING = 1e-9;

/**
 * How many calls of one account may run at once, and from when. The limit is halved when the API refuses a
 * call, and grows by one with each round of calls that succeed. The API refuses all calls that run at the
 * same time, so only calls that were started after the limit was last lowered change it.
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

  /** The end of the pause by the clock `now`; 0 if there is no pause. */
  get pausedUntil(): number {
    const until = Math.max(this.#retryAt, this.#resetAt());
    return until > this.#now() ? until : 0;
  }

  /** The error of the usage limit that causes the current pause. */
  get usageLimit(): HawserError | undefined {
    return this.#resetAt() > this.#now() ? this.#usageLimit?.error : undefined;
  }

  /** For a timer: a whole number that a timer can hold. Ask again when the timer fires. */
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
    // The pause that the API has asked for is the least; jitter can only make it longer.
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
    // Of two usage limits, the one that lasts longer counts.
    if (until <= this.#resetAt()) return;
    this.#usageLimit = { error, until, untilDate: date + ms };
  }

  /**
   * The end of the usage limit by the clock `now`. The limit is over as soon as one of both clocks says so,
   * because the clock of the program stands still while the machine sleeps, and the time of day may be set
   * back. If the time of day was set forward by mistake, the API refuses one more call.
   */
  #resetAt(): number {
    if (this.#usageLimit === undefined) return 0;
    const { until, untilDate } = this.#usageLimit;
    return Math.min(until, this.#now() + untilDate - this.#date());
  }

  /** Random, so that pools that were refused together do not try again together. */
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
