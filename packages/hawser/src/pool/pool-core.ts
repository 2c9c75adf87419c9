import { HawserError, isHawserError, LONGEST_TIMER_MS, textOf } from "../base/index.js";
import {
  type LeaseRequest,
  Session,
  type SessionLease,
  type SessionSource,
} from "../session/index.js";
import { Admission, type Slot } from "./admission/admission.js";
import type { Binding } from "./binding.js";
import { BindingCache } from "./binding-cache.js";
import { CredentialWatch } from "./credential-watch.js";
import { holdSession, Lease, type LeaseOwner, type LeaseParts } from "./lease.js";
import { LeaseAccount } from "./lease-account.js";
import type { PoolSettings } from "./options.js";
import { CallHistory, countStates, type PoolStats } from "./pool-stats.js";
import { ResetRecords } from "./reset-records.js";
import { WorkerSet } from "./workers/worker-set.js";

let pools = 0;

/** The facts of a lease that are known when a call is admitted, before it has a process. */
type Admitted = Pick<LeaseParts, "slot" | "account" | "binding" | "admittedAt">;

/** A ready session; without a worker if the process was started for this request alone. */
interface Served extends Pick<LeaseParts, "worker" | "origin"> {
  readonly session: Session;
}

/** Anything that is served now, and can be ended by the pool. */
interface Closable {
  close(why: HawserError): Promise<void>;
}

/**
 * The inside of a pool. It must never point back at the `Pool` object, so that a pool that the caller has
 * forgotten can be garbage-collected and then closed.
 */
export class PoolCore implements SessionSource, LeaseOwner {
  readonly #settings: PoolSettings;
  readonly #admission: Admission;
  readonly #workers: WorkerSet;
  readonly #history = new CallHistory();
  readonly #bindings: BindingCache;
  readonly #resets: ResetRecords;
  /** Leases, and sessions whose process starts for them alone. */
  readonly #serving = new Set<Closable>();
  /** Ends a call with this failure, also while it waits or is between two sessions. */
  readonly #calls = new Set<(why: HawserError) => void>();
  /** Work that must end before the pool is closed. */
  readonly #pending = new Set<Promise<unknown>>();
  /**
   * Settles once every `warm()` request is registered and its process is being started. Calls await it, so
   * that they take that process instead of starting a second one.
   */
  #announced: Promise<unknown> = Promise.resolve();
  /** The first `warm()` request that failed; thrown by `ready()`. */
  #unready: { readonly error: unknown } | undefined;
  /** `draining`: takes no new call. `closing`: also ends the calls that wait and run. */
  #state: "open" | "draining" | "closing" = "open";
  #closed: Promise<void> | undefined;
  readonly #onClosing = new Set<() => void>();
  #onEmpty: (() => void)[] = [];

  constructor(settings: PoolSettings, resets: ResetRecords = new ResetRecords(settings.log)) {
    this.#settings = settings;
    const credentials = new CredentialWatch(settings.log);
    this.#bindings = new BindingCache(settings, resets, ({ prepared }) => {
      credentials.note(prepared);
    });
    this.#resets = resets;
    pools += 1;
    this.#workers = new WorkerSet(settings, pools);
    this.#admission = new Admission(settings, pools, this.#workers);
  }

  /** Has a process ready for a request to come. */
  warm(request: Promise<LeaseRequest>): void {
    const known = this.track(this.#announce(request)).catch((error: unknown) => {
      // Not thrown here: a call with these options gets the same error.
      this.#settings.log.warn("no process can be started for the options in `warm`", {
        error: textOf(error),
      });
      this.#unready ??= { error };
    });
    this.#announced = Promise.all([this.#announced, known]);
  }

  async ready(): Promise<void> {
    this.#refuseClosed();
    // Processes that are being started do not keep the program alive by themselves.
    const hold = setInterval(() => {}, LONGEST_TIMER_MS);
    try {
      await this.#unlessClosing(this.#announced);
      if (this.#unready !== undefined) throw this.#unready.error;
      await this.#unlessClosing(this.#workers.ready());
    } finally {
      clearInterval(hold);
    }
    this.#refuseClosed();
  }

  begin(end: (why: HawserError) => void): () => void {
    this.#refuseClosed();
    this.#calls.add(end);
    return () => {
      this.#calls.delete(end);
      this.#checkEmpty();
    };
  }

  async acquire(request: LeaseRequest): Promise<SessionLease> {
    // `complete()` and `stream()` call begin() themselves.
    const done = request.purpose === "session" ? this.begin(() => {}) : undefined;
    try {
      return await this.track(this.#acquire(withSignal(request)));
    } finally {
      done?.();
    }
  }

  /** The state in one word, for `console.log()`. A closed pool may still have processes that are ending. */
  get state(): "open" | "draining" | "closed" {
    return this.#state === "closing" ? "closed" : this.#state;
  }

  /** The number of processes, whatever their state. */
  get processes(): number {
    return [...this.#workers.workers].length;
  }

  stats(): PoolStats {
    const { by, succeeded, failed, ...samples } = this.#history;
    const { queuedMs, bootMs, runMs, totalMs } = samples;
    const { running, queued, limit, ledger } = this.#admission;
    return {
      processes: {
        ...countStates(this.#workers.workers),
        started: this.#workers.started,
        discarded: Object.fromEntries(this.#workers.discarded),
      },
      notRecycled: this.#resets.notRecycled(),
      calls: {
        running,
        queued,
        succeeded,
        failed,
        cold: by.cold + by.alone,
        warm: by.recycled + by.initialized + by.generic,
        by: { ...by },
        limit,
      },
      queuedByTenant: this.#admission.queuedByTenant(),
      queuedMs: queuedMs.summary(),
      bootMs: bootMs.summary(),
      runMs: runMs.summary(),
      totalMs: totalMs.summary(),
      spentUsd: ledger.spentUsd,
      spentUsdByTenant: ledger.tenants(),
    };
  }

  async drain(): Promise<void> {
    if (this.#state === "open") this.#state = "draining";
    await new Promise<void>((resolve) => {
      this.#onEmpty.push(resolve);
      this.#checkEmpty();
    });
    await this.close();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  track<T>(work: Promise<T>): Promise<T> {
    const over = () => this.#pending.delete(work);
    this.#pending.add(work);
    work.then(over, over);
    return work;
  }

  onReleased(lease: Lease): void {
    this.#serving.delete(lease);
    if (lease.isAlone) this.#workers.aloneCount -= 1;
    this.#workers.scheduleRefill();
    this.#checkEmpty();
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    // The calls of this moment see the pool closed before they are ended.
    await Promise.resolve();
    for (const tell of this.#onClosing) tell();
    for (const end of this.#calls) end(poolClosed());
    this.#admission.refuseAll(poolClosed);
    await Promise.all([...this.#serving].map((each) => each.close(poolClosed())));
    await this.#workers.close();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.#checkEmpty();
  }

  /** The promise, or undefined as soon as the pool is closed. Promise.race would keep the value alive. */
  #unlessClosing<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const give = () => resolve(undefined);
      this.#onClosing.add(give);
      promise.then(resolve, reject).finally(() => this.#onClosing.delete(give));
    });
  }

  async #announce(request: Promise<LeaseRequest>): Promise<void> {
    const wanted = await this.#unlessClosing(request);
    if (wanted === undefined) return;
    const binding = await this.#bindings.of(wanted);
    if (binding.isAlone) return;
    this.#workers.demands.pin(binding);
    this.#workers.refill();
  }

  async #acquire(request: LeaseRequest): Promise<SessionLease> {
    const binding = await this.#bindings.of(request);
    await this.#announced;
    const slot = await this.#admit(binding, request);
    try {
      return await this.#serve(binding, request, slot);
    } catch (error) {
      slot.charge.settle(false);
      slot.release(isHawserError(error) ? error : undefined);
      this.#checkEmpty();
      throw this.#state === "closing" ? poolClosed() : error;
    }
  }

  async #admit(binding: Binding, request: LeaseRequest): Promise<Slot> {
    if (this.#state === "closing") throw poolClosed();
    const { deadlineAt, purpose, call } = request;
    const { tenant, priority = 0, signal } = request.options;
    const lane = JSON.stringify([tenant, binding.spawnKey]);
    const { account } = binding;
    const wanted = { priority, tenant, lane, account, binding, purpose, call, deadlineAt, signal };
    return this.#admission.enter(wanted);
  }

  async #serve(binding: Binding, request: LeaseRequest, slot: Slot): Promise<SessionLease> {
    const admittedAt = performance.now();
    const account = new LeaseAccount(slot);
    const served = await (binding.isAlone
      ? this.#startAlone({ ...request, watcher: account.watch() })
      : this.#workers.serve(binding, request, account));
    if (this.#state === "closing") {
      await served.session.close(poolClosed());
      throw poolClosed();
    }
    if (!binding.isAlone) this.#workers.demands.note(binding);
    return this.#lend(served, { slot, account, binding, admittedAt }, request.purpose);
  }

  async #startAlone(request: LeaseRequest): Promise<Served> {
    this.#workers.evictSpares();
    this.#workers.aloneCount += 1;
    const session = new Session(request);
    this.#serving.add(session);
    try {
      await session.initializationResult();
      return { session, worker: undefined, origin: "alone" };
    } catch (error) {
      this.#workers.aloneCount -= 1;
      throw error;
    } finally {
      this.#serving.delete(session);
    }
  }

  /** No closure here may capture the session: see `holdSession`. */
  #lend(
    { session, worker, origin }: Served,
    admitted: Admitted,
    purpose: LeaseRequest["purpose"],
  ): SessionLease {
    const lease = new Lease({
      ...admitted,
      owner: this,
      held: holdSession(session, purpose),
      worker,
      origin,
      settings: this.#settings,
      history: this.#history,
    });
    this.#serving.add(lease);
    if (purpose === "session") admitted.account.releaseWhenOver(lease);
    return lease.handOut(session);
  }

  #refuseClosed(): void {
    if (this.#state !== "open") throw poolClosed();
  }

  /** Tells `drain()` when no call is left. */
  #checkEmpty(): void {
    const { running, queued } = this.#admission;
    const isEmpty = this.#calls.size === 0 && running === 0 && queued === 0;
    if (!isEmpty) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

/** The options with one signal that both `signal` and `abortController` abort. */
function withSignal(request: LeaseRequest): LeaseRequest {
  const { signal, abortController } = request.options;
  if (abortController === undefined) return request;
  const own = abortController.signal;
  const both = signal === undefined ? own : AbortSignal.any([signal, own]);
  return { ...request, options: { ...request.options, signal: both } };
}

function poolClosed(): HawserError {
  return new HawserError("pool_closed");
}
