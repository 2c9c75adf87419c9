import type { RateLimit } from "./tenant.js";

/**
 * A limit per minute as a bucket that refills steadily: a full bucket permits a burst of the whole limit, and
 * afterwards a sixtieth of the limit is added each second.
 */
export class TokenBucket {
  #level: number;
  #at: number;
  #limit: number;

  constructor(limit: number, now: number) {
    this.#limit = limit;
    this.#level = limit;
    this.#at = now;
  }

  /** Changes the limit and keeps what was used of it. */
  resize(limit: number, now: number): void {
    this.#refill(now);
    this.#level = Math.min(limit, this.#level + limit - this.#limit);
    this.#limit = limit;
  }

  /** Takes an amount. The level may fall below zero, because the tokens of an answer are known only at its end. */
  take(amount: number, now: number): void {
    this.#refill(now);
    this.#level -= amount;
  }

  /** How long until the level is at least this, in milliseconds; 0 if it is now. */
  waitFor(level: number, now: number): number {
    this.#refill(now);
    return Math.max(0, Math.ceil(((level - this.#level) / this.#limit) * MINUTE));
  }

  state(now: number): RateLimit {
    this.#refill(now);
    const resetsAt = now + this.waitFor(this.#limit, now);
    return { limit: this.#limit, remaining: Math.max(0, Math.floor(this.#level)), resetsAt };
  }

  #refill(now: number): void {
    const added = (Math.max(0, now - this.#at) / MINUTE) * this.#limit;
    this.#level = Math.min(this.#limit, this.#level + added);
    this.#at = Math.max(this.#at, now);
  }
}

const MINUTE = 60_000;
