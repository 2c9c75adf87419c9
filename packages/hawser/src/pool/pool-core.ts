import { HawserError, isHawserError, textOf } from "../base/index.js";
import {
  type LeaseRequest,
  Session,
  type SessionLease,
  type SessionSource,
} from "../session/index.js";
import { Admission, type Slot } from "./admission/admission.js";
import { type Binding, bindingOf } from "./binding.js";
import { CredentialWatch } from "./credential-watch.js";
import { type Held, LeaseAccount, type LeaseParts, leaseOf } from "./lease.js";
import type { PoolSettings } from "./options.js";
import { ResetRecords } from "./reset-records.js";
import { CallHistory, countStates, type PoolStats } from "./stats.js";
import { type Served, WorkerSet } from "./workers/worker-set.js";

let pools = 0;

/** What is behind a pool. It must never point back at it, so that a forgotten one can be noticed. */
export class PoolCore implements SessionSource {
  readonly #settings: PoolSettings;
  readonly #admission: Admission;
  readonly #workers: WorkerSet;
  readonly #history = new CallHistory();
  readonly #credentials: CredentialWatch;
  readonly #resets: ResetRecords;
  /** Ends one that is served, with this failure. */
  readonly #serving = new Set<(why: HawserError) => Promise<void>>();
  /** Ends a call, wherever it is. */
  readonly #calls = new Set<(why: HawserError) => void>();
  /** What must be over before nothing is left. */
  readonly #pending = new Set<Promise<unknown>>();
  /** Who comes at once gets what is being started, and does not start the same beside it. */
  #announced: Promise<unknown> = Promise.resolve();
  /** Why something of that cannot be. */
  #unready: { readonly error: unknown } | undefined;
  readonly #onClosing = new Set<() => void>();
  #isDraining = false;
  #closing: Promise<void> | undefined;
  #onEmpty: (() => void)[] = [];

  constructor(settings: PoolSettings, resets: ResetRecords = new ResetRecords(settings.log)) {
    this.#settings = settings;
    this.#credentials = new CredentialWatch(settings.log);
    this.#resets = resets;
    this.#admission = new Admission(settings);
    this.#workers = new WorkerSet(settings, ++pools);
  }

  /** Makes a process ready for a request to come. */
  warm(request: Promise<LeaseRequest>): void {
    const known = this.#track(this.#announce(request)).catch((error: unknown) => {
      // Whoever calls with these options is told the same.
      this.#settings.log.warn("options cannot be made ready for", { error: textOf(error) });
      this.#unready ??= { error };
    });
    this.#announced = Promise.all([this.#announced, known]);
  }

  async ready(): Promise<void> {
    this.#refuseClosed();
    // What is being started would not keep the program alive by itself.
    const hold = setInterval(() => {}, LONGEST_MS);
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
      this.#changed();
    };
  }

  async acquire(request: LeaseRequest): Promise<SessionLease> {
    // A call has said so itself that it begins.
    const done = request.purpose === "session" ? this.begin(() => {}) : undefined;
    try {
      return await this.#track(this.#acquire(withSignal(request)));
    } finally {
      done?.();
    }
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
      queuedMs: queuedMs.summary(),
      bootMs: bootMs.summary(),
      runMs: runMs.summary(),
      totalMs: totalMs.summary(),
      spentUsd: ledger.spentUsd,
      spentUsdByTenant: ledger.tenants(),
    };
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await new Promise<void>((resolve) => {
      this.#onEmpty.push(resolve);
      this.#changed();
    });
    await this.close();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isDraining = true;
    // Whoever looks now finds it closed.
    await Promise.resolve();
    for (const tell of this.#onClosing) tell();
    for (const end of this.#calls) end(poolClosed());
    this.#admission.refuseAll(poolClosed);
    await Promise.all([...this.#serving].map((end) => end(poolClosed())));
    await this.#workers.close();
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    this.#changed();
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const over = () => this.#pending.delete(work);
    this.#pending.add(work);
    work.then(over, over);
    return work;
  }

  /** The same, or undefined as soon as the pool is closed. A race would keep what it has given. */
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
    const binding = await bindingOf(wanted, this.#settings.isolation, this.#resets);
    if (binding.isAlone) return;
    this.#workers.demands.pin(binding);
    this.#workers.refill();
  }

  async #acquire(request: LeaseRequest): Promise<SessionLease> {
    const binding = await bindingOf(request, this.#settings.isolation, this.#resets);
    this.#credentials.note(binding.prepared);
    await this.#announced;
    const slot = await this.#enter(binding, request);
    try {
      return await this.#serve(binding, request, slot);
    } catch (error) {
      slot.charge.settle(false);
      slot.release(isHawserError(error) ? error : undefined);
      this.#changed();
      throw this.#closing === undefined ? error : poolClosed();
    }
  }

  async #enter(binding: Binding, request: LeaseRequest): Promise<Slot> {
    if (this.#closing !== undefined) throw poolClosed();
    const { deadlineAt, purpose } = request;
    const { tenant, priority = 0, signal } = request.options;
    const lane = JSON.stringify([tenant, binding.spawnKey]);
    const { account } = binding;
    return this.#admission.enter({ priority, tenant, lane, account, purpose, deadlineAt, signal });
  }

  async #serve(binding: Binding, request: LeaseRequest, slot: Slot): Promise<SessionLease> {
    const admittedAt = performance.now();
    const tab = new LeaseAccount(slot);
    const served = await (binding.isAlone
      ? this.#startAlone({ ...request, watcher: tab.watch() })
      : this.#workers.serve(binding, request, () => tab.watch()));
    if (this.#closing !== undefined) {
      await served.session.close(poolClosed());
      throw poolClosed();
    }
    if (!binding.isAlone) this.#workers.demands.note(binding);
    return this.#lend(served, { slot, tab, binding, admittedAt }, request.purpose);
  }

  #lend(
    { session, worker, how }: Omit<Served, "how" | "worker"> & Pick<LeaseParts, "worker" | "how">,
    parts: Pick<LeaseParts, "slot" | "tab" | "binding" | "admittedAt">,
    purpose: LeaseRequest["purpose"],
  ): SessionLease {
    const held = heldOf(session, purpose);
    const end = async (why: HawserError) => held.deref()?.close(why);
    this.#serving.add(end);
    const lease = leaseOf({
      ...parts,
      held,
      worker,
      how,
      settings: this.#settings,
      history: this.#history,
      onReleased: () => {
        this.#serving.delete(end);
        if (worker === undefined) this.#workers.outside -= 1;
        this.#workers.scheduleRefill();
        this.#changed();
      },
    });
    const release = (failure?: HawserError) => this.#track(lease.release(failure));
    if (purpose === "session") parts.tab.whenOver(() => void release());
    return { ...lease, release, session };
  }

  async #startAlone(request: LeaseRequest) {
    this.#workers.evictSpares();
    this.#workers.outside += 1;
    const session = new Session(request);
    const end = (why: HawserError) => session.close(why);
    this.#serving.add(end);
    try {
      await session.initializationResult();
      return { session, worker: undefined, how: "alone" as const };
    } catch (error) {
      this.#workers.outside -= 1;
      throw error;
    } finally {
      this.#serving.delete(end);
    }
  }

  #refuseClosed(): void {
    if (this.#isDraining) throw poolClosed();
  }

  /** Something may have come to its end. */
  #changed(): void {
    const isEmpty =
      this.#calls.size === 0 && this.#admission.running === 0 && this.#admission.queued === 0;
    if (!isEmpty) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

const LONGEST_MS = 2 ** 31 - 1;

/**
 * A session belongs to its holder: that it is not held here is how a forgotten one is noticed. No
 * function beside this one may close over it, since they would all hold it.
 */
function heldOf(session: Session, purpose: LeaseRequest["purpose"]): Held {
  return purpose === "call" ? { deref: () => session } : new WeakRef(session);
}

/** Who waits can be called off in either way. */
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
