import { type HawserError, omitUndefined } from "../base/index.js";
import type { LeaseRequest, Session, SessionLease } from "../session/index.js";
import type { Slot } from "./admission/admission.js";
import type { Binding } from "./binding.js";
import type { LeaseAccount } from "./lease-account.js";
import type { PoolSettings } from "./options.js";
import type { CallHistory } from "./pool-stats.js";
import type { DiscardReason } from "./workers/discard-reason.js";
import type { Worker } from "./workers/worker.js";
import type { ProcessOrigin } from "./workers/worker-choice.js";

/** The pool that a lease belongs to. */
export interface LeaseOwner {
  /** The pool is not closed before this work has ended. Returns the same promise. */
  track<T>(work: Promise<T>): Promise<T>;
  /** The slot is free again; the process may still be on its way to be idle or gone. */
  onReleased(lease: Lease): void;
}

/**
 * The session of a lease. The reference is strong for a call, and weak for a session that the caller holds.
 */
export interface HeldSession {
  deref(): Session | undefined;
}

export interface LeaseParts {
  readonly owner: LeaseOwner;
  readonly held: HeldSession;
  /** Undefined for a process that was started for this request alone. */
  readonly worker: Worker | undefined;
  readonly origin: ProcessOrigin | "alone";
  readonly slot: Slot;
  readonly account: LeaseAccount;
  readonly binding: Binding;
  readonly settings: PoolSettings;
  readonly history: CallHistory;
  /** When the process was asked for, by `performance.now()`. */
  readonly admittedAt: number;
}

/**
 * The use of one process by one call or session, from its readiness to its release. It must not point at
 * the session except by `held`: see `holdSession`.
 */
export class Lease {
  readonly #parts: LeaseParts;
  readonly #readyAt: number;
  readonly #bootMs: number;
  #released: Promise<void> | undefined;

  constructor(parts: LeaseParts) {
    const { history, origin, slot, admittedAt } = parts;
    this.#parts = parts;
    this.#readyAt = performance.now();
    this.#bootMs = this.#readyAt - admittedAt;
    history.by[origin] += 1;
    history.queuedMs.add(slot.queuedMs);
    history.bootMs.add(this.#bootMs);
  }

  get isAlone(): boolean {
    return this.#parts.worker === undefined;
  }

  handOut(session: Session): SessionLease {
    return {
      session,
      queuedMs: this.#parts.slot.queuedMs,
      bootMs: this.#bootMs,
      isReplaceable: true,
      isHandedOn: this.#parts.binding.resets?.mayTry === true,
      release: (failure) => this.release(failure),
    };
  }

  /** Closes the session. Its turns reject with this failure. */
  async close(why: HawserError): Promise<void> {
    await this.#parts.held.deref()?.close(why);
  }

  /** The call is over, well or with this failure. Resolves when nothing of it is left. */
  release(failure?: HawserError): Promise<void> {
    this.#released ??= this.#parts.owner.track(this.#release(failure));
    return this.#released;
  }

  async #release(failure: HawserError | undefined): Promise<void> {
    const { account, slot, history, admittedAt, owner } = this.#parts;
    const now = performance.now();
    history[failure === undefined ? "succeeded" : "failed"] += 1;
    history.runMs.add(now - this.#readyAt);
    history.totalMs.add(slot.queuedMs + now - admittedAt);
    const gone = recycleOrClose(this.#parts, failure);
    // Only now, so that the next call can wait for this very process.
    account.settle(failure);
    owner.onReleased(this);
    await gone;
  }
}

/**
 * The pool must not keep a session alive that its holder has forgotten, because garbage collection is how
 * the pool learns of that. No other function here may close over the session, since all closures of a
 * function share what they hold.
 */
export function holdSession(session: Session, purpose: LeaseRequest["purpose"]): HeldSession {
  return purpose === "call" ? { deref: () => session } : new WeakRef(session);
}

/** A reset continues in the background. The promise of an end is returned. */
function recycleOrClose(
  parts: LeaseParts,
  failure: HawserError | undefined,
): Promise<void> | undefined {
  const { held, worker, binding, settings } = parts;
  const session = held.deref();
  if (worker === undefined) return session?.close();
  const reason = whyNotRecycled(parts, failure);
  const { resets } = binding;
  if (reason !== undefined || session === undefined || resets === undefined) {
    return worker.close(reason ?? "session_forgotten", {
      endSession: async () => session?.close(),
      ...omitUndefined({ detail: reason === "call_failed" ? failure?.code : undefined }),
    });
  }
  const countsAnew = binding.hasBudget;
  worker
    .recycle(session, { maxRssMb: settings.maxRssMb, countsAnew, resets })
    .catch((error: HawserError) => {
      const detail = error.code === "protocol_error" ? error.message : error.code;
      void worker.close("reset_failed", { detail, endSession: () => session.kill() });
    });
  return undefined;
}

function whyNotRecycled(
  { worker, binding, settings, account }: LeaseParts,
  failure: HawserError | undefined,
): DiscardReason | undefined {
  if (binding.resets?.mayTry !== true) return "not_recyclable";
  // With a result, the CLI has ended the turn by itself; otherwise it was interrupted.
  const isWhole = failure?.result !== undefined || LEAVES_WHOLE.has(failure?.code);
  if (failure !== undefined && !isWhole) return "call_failed";
  if (account.hasSpentBudget) return "budget_spent";
  if (worker === undefined || worker.jobs >= settings.maxJobs) return "max_jobs";
  const ageMs = performance.now() - worker.startedAt;
  return ageMs > settings.maxAgeMs ? "max_age" : undefined;
}

/** After these codes the CLI has obeyed the interrupt, or the reset will show that it has not. */
const LEAVES_WHOLE: ReadonlySet<string | undefined> = new Set(["aborted", "timeout"]);
