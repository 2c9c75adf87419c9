import { setTimeout as delay } from "node:timers/promises";
import { HawserError, isHawserError } from "hawser";
import type { Claim, Claims } from "../../runs/claims.js";
import { LEASE_MARGIN_MS, LeaseClock, type Moment } from "../../sessions/lease-clock.js";

/** The right of this host to work on a run, as the parts of its segment see it. */
export class SegmentLease {
  readonly claim: Claim;
  readonly #claims: Claims;
  readonly #clock: LeaseClock;
  readonly #lost = new AbortController();
  #deadline: NodeJS.Timeout | undefined;

  constructor(claims: Claims, claim: Claim, leaseMs: number) {
    this.claim = claim;
    this.#claims = claims;
    this.#clock = new LeaseClock(leaseMs, claim.claimedAt);
    this.#watch();
  }

  /** Aborts when the claim is gone, or may soon be. The reason is the error `lease_lost`. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** A heartbeat that was sent at this moment has found the claim. */
  renewed(sentAt: Moment): void {
    this.#clock.renewed(sentAt);
  }

  lose(error: HawserError = this.#lostError()): void {
    clearTimeout(this.#deadline);
    if (!this.#lost.signal.aborted) this.#lost.abort(error);
  }

  /** The segment has ended, so that nothing is watched any more. */
  release(): void {
    clearTimeout(this.#deadline);
  }

  /**
   * Whether a tool may begin now: by the last heartbeat, or else by the database. To be asked at the last moment,
   * because a host that was frozen does not know how long.
   */
  async holds(): Promise<boolean> {
    if (this.#lost.signal.aborted) return false;
    if (this.#clock.isSure) return true;
    const sentAt = LeaseClock.now();
    const asked = this.#claims.holds(this.claim).catch(() => false);
    const isOurs = await Promise.race([asked, delay(LEASE_MARGIN_MS, false)]);
    if (isOurs) this.#clock.renewed(sentAt);
    return isOurs && !this.#lost.signal.aborted && this.#clock.isSure;
  }

  /** Does the work, and does it again while the database cannot be reached, until the lease is over. */
  async whileHeld<Value>(work: () => Promise<Value>): Promise<Value> {
    for (;;) {
      if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
      try {
        return await work();
      } catch (error) {
        if (isHawserError(error, "lease_lost")) this.lose(error);
        if (!isHawserError(error, "database_unavailable") || !error.retryable) throw error;
      }
      await delay(RETRY_DELAY_MS);
    }
  }

  #watch(): void {
    const restMs = this.#clock.remainingMs;
    if (restMs <= 0) this.lose();
    else this.#deadline = setTimeout(() => this.#watch(), restMs);
  }

  #lostError(): HawserError {
    const { run, segment } = this.claim;
    return new HawserError(
      "lease_lost",
      `This host could not renew its claim on segment ${segment} of run ${run.id} in time.`,
      { sessionId: run.sessionId },
    );
  }
}

const RETRY_DELAY_MS = 250;
