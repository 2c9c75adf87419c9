import type { HawserError, HookAnswer, HookCallback, SessionStore } from "hawser";
import type { SessionLease } from "./fleet-sessions.js";
import { LEASE_MARGIN_MS, LeaseClock, type Moment, renewalIntervalMs } from "./lease-clock.js";
import { type HeldLease, LeasedStore } from "./leased-store.js";
import { leaseLost } from "./session-row.js";
import type { TakeParts } from "./take-session.js";

/** A lease that renews itself until it is released or lost. */
export class RenewedLease implements SessionLease {
  readonly sessionId: string;
  readonly epoch: number;
  readonly store: SessionStore;
  readonly #parts: TakeParts;
  readonly #clock: LeaseClock;
  readonly #lost = new AbortController();
  readonly #renewal: NodeJS.Timeout;
  /** Fires when the last renewal is too long ago. */
  #deadline: NodeJS.Timeout | undefined;
  #released: Promise<void> | undefined;

  constructor(parts: TakeParts, lease: HeldLease, takenAt: Moment) {
    this.sessionId = lease.sessionId;
    this.epoch = lease.epoch;
    this.#parts = parts;
    this.#clock = new LeaseClock(parts.leaseMs, takenAt);
    this.store = new LeasedStore(parts.database, lease, {
      isOver: () => this.#lost.signal.aborted || this.#clock.isOver,
      onLost: (error) => this.#lose(error),
    });
    // The timers do not keep the program alive: a lease that is not released is over soon.
    this.#renewal = setInterval(() => void this.#beat(), renewalIntervalMs(parts.leaseMs)).unref();
    this.#watch();
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  readonly guard: HookCallback = async (): Promise<HookAnswer> => {
    if (await this.#holds()) return {};
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "This machine has lost the session, so it may not act any more.",
      },
    };
  };

  release(): Promise<void> {
    this.#released ??= this.#giveBack();
    return this.#released;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release();
  }

  async #giveBack(): Promise<void> {
    this.#stopTimers();
    const { database } = this.#parts;
    await database.query(
      `update ${database.schema}.session set holder = null, expires_at = null where id = $1 and epoch = $2`,
      [this.sessionId, this.epoch],
    );
  }

  /** Asks the clock first, and the database if the last renewal is too long ago. */
  async #holds(): Promise<boolean> {
    if (!this.#clock.isSure) await withinMs(LEASE_MARGIN_MS, this.#beat());
    const isOver = this.#lost.signal.aborted || this.#released !== undefined;
    return !isOver && this.#clock.isSure;
  }

  async #beat(): Promise<void> {
    const sentAt = LeaseClock.now();
    try {
      if (await this.#renew()) this.#clock.renewed(sentAt);
      else this.#lose();
    } catch {
      // The database cannot be reached. `#watch()` ends the lease if that lasts.
    }
  }

  async #renew(): Promise<boolean> {
    const { database, leaseMs } = this.#parts;
    // A renewal on a slow connection must not take the session back after it was released.
    const { rowCount } = await database.urgent(leaseMs / 4).query(
      `update ${database.schema}.session set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
       where id = $1 and epoch = $2 and holder is not null`,
      [this.sessionId, this.epoch, leaseMs],
    );
    return rowCount === 1;
  }

  /** Ends the lease on this side before it is over in the database, also if a renewal never gets an answer. */
  #watch(): void {
    const restMs = this.#clock.remainingMs;
    if (restMs <= 0) this.#lose();
    else this.#deadline = setTimeout(() => this.#watch(), restMs).unref();
  }

  #lose(error: HawserError = leaseLost(this.sessionId, this.epoch)): void {
    if (this.#released !== undefined) return;
    this.#stopTimers();
    this.#lost.abort(error);
  }

  #stopTimers(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#deadline);
  }
}

/** Resolves when the work is done, at the latest after this time. The work must not reject. */
async function withinMs(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
