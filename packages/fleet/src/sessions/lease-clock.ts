import { type Moment, momentNow } from "../runs/moment.js";

export type { Moment };

/**
 * How long ago a lease was renewed for certain. A renewal counts from the moment it was sent, not from the moment
 * of its answer, because the database counts from somewhere in between.
 */
export class LeaseClock {
  readonly #leaseMs: number;
  #renewedAt: Moment;

  constructor(leaseMs: number, renewedAt: Moment = LeaseClock.now()) {
    this.#leaseMs = leaseMs;
    this.#renewedAt = renewedAt;
  }

  static now(): Moment {
    return momentNow();
  }

  /** To be called when a renewal that was sent at this moment has succeeded. */
  renewed(sentAt: Moment): void {
    if (sentAt.monotonicMs > this.#renewedAt.monotonicMs) this.#renewedAt = sentAt;
  }

  /**
   * How long the work may go on, in milliseconds; zero or less if it must end. It ends some time before the lease
   * does, so that the next host finds nothing running. A clock that somebody sets does not end it.
   */
  get remainingMs(): number {
    return this.#leaseMs - LEASE_MARGIN_MS - this.#age().monotonicMs;
  }

  /** Whether the work must end. */
  get isOver(): boolean {
    return this.remainingMs <= 0;
  }

  /**
   * Whether a tool may begin without another question to the database: the last renewals have succeeded. After a
   * sleep of the machine, and after a change of its clock, it is not sure.
   */
  get isSure(): boolean {
    const { monotonicMs, wallMs } = this.#age();
    return Math.max(monotonicMs, Math.abs(wallMs)) < this.#leaseMs / 2 && !this.isOver;
  }

  #age(): Moment {
    const { monotonicMs, wallMs } = LeaseClock.now();
    return {
      monotonicMs: monotonicMs - this.#renewedAt.monotonicMs,
      wallMs: wallMs - this.#renewedAt.wallMs,
    };
  }
}

/** A host ends its work so long before its lease is over. */
export const LEASE_MARGIN_MS = 2_500;

/** How often a lease is renewed: four times within the lease. */
export function renewalIntervalMs(leaseMs: number): number {
  return leaseMs / 4;
}
