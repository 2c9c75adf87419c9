import { HawserError, textOf } from "../../base/index.js";
import {
  CHANNELS,
  type LeaseRequest,
  publish,
  type Session,
  type SessionWatcher,
} from "../../session/index.js";
import type { Binding } from "../binding.js";
import type { PoolSettings } from "../options.js";
import { atRest } from "./at-rest.js";
import { type Demand, Demands } from "./demands.js";
import type { DiscardReason } from "./discard-reason.js";
import { rankOf } from "./rank.js";
import { type Preparation, Worker, type WorkerState } from "./worker.js";
import { isAccident, limitsOf } from "./worker-choice.js";

/** How a caller got its process: how much of its start was done already. */
export type ProcessOrigin = "recycled" | "initialized" | "generic" | "cold";

export interface Served {
  readonly session: Session;
  readonly worker: Worker;
  readonly how: ProcessOrigin;
}

/** All processes of a pool: finds one for each caller, and sees to it that others are ready. */
export class WorkerSet {
  readonly demands: Demands;
  readonly #settings: PoolSettings;
  readonly #pool: number;
  readonly #workers = new Set<Worker>();
  readonly #discarded = new Map<DiscardReason, number>();
  readonly #sweep: NodeJS.Timeout;
  #started = 0;
  #tending: { readonly timer: NodeJS.Timeout; readonly dueAt: number } | undefined;
  /** Processes of the pool that are not among the workers. */
  outside = 0;
  #isClosed = false;

  constructor(settings: PoolSettings, pool: number) {
    this.#settings = settings;
    this.#pool = pool;
    this.demands = new Demands(settings.idleMs);
    const everyMs = Math.min(Math.max(settings.idleMs / 4, 20), LONGEST_SWEEP_MS);
    this.#sweep = setInterval(() => this.#letGoIdle(), everyMs);
    this.#sweep.unref();
  }

  get workers(): Iterable<Worker> {
    return this.#workers;
  }

  /** How many were let go, by reason. */
  get discarded(): ReadonlyMap<DiscardReason, number> {
    return this.#discarded;
  }

  get started(): number {
    return this.#started;
  }

  /**
   * A ready session, of the best worker there is. One that turns out to be of no use is let go, and
   * the next one is tried: nothing has been sent yet.
   */
  async serve(
    binding: Binding,
    request: LeaseRequest,
    watch: () => SessionWatcher,
  ): Promise<Served> {
    let starts = 0;
    for (let tries = 1; ; tries += 1) {
      const { worker, how } = this.#pick(binding);
      if (how === "cold") starts += 1;
      try {
        const limits = limitsOf(request, binding, how);
        await atRest(worker, request.options.signal, limits.bootMs);
        const session = await worker.serve(binding, { ...request, watcher: watch() }, limits);
        publish(CHANNELS.processAssigned, () => worker.event({ how }));
        this.demands.succeeded(binding);
        this.scheduleRefill(REFILL_AFTER_MS);
        return { session, worker, how };
      } catch (error) {
        const gaveUp = request.options.signal?.aborted === true;
        // It was only waited for, so that another can have it.
        if (gaveUp && how !== "cold" && worker.state !== "serving") {
          worker.isReserved = false;
          throw error;
        }
        void worker.close(how === "cold" ? "start_failed" : "failed_when_needed");
        const isPatient = !gaveUp && starts < MOST_STARTS && tries < MOST_TRIES;
        if (this.#isClosed || !isPatient || !isAccident(error, how)) throw error;
      }
    }
  }

  /** Starts what is wanted, soon. */
  scheduleRefill(afterMs = 0): void {
    const dueAt = performance.now() + afterMs;
    if (this.#isClosed || (this.#tending !== undefined && this.#tending.dueAt <= dueAt)) return;
    clearTimeout(this.#tending?.timer);
    const timer = setTimeout(() => this.refill(), afterMs);
    timer.unref();
    this.#tending = { timer, dueAt };
  }

  /** Resolves when what was announced is up, or has no room; throws why one did not start. */
  async ready(): Promise<void> {
    for (;;) {
      this.refill();
      const workers = [...this.#workers];
      const up = workers.filter(({ state }) => state !== "starting");
      const isUp = (demand: Demand) => Demands.met(demand, up) >= this.#settings.min;
      const awaited = this.demands.announced().filter((demand) => !isUp(demand));
      const [trouble] = awaited.flatMap((demand) => this.demands.troubleOf(demand) ?? []);
      if (trouble !== undefined) throw trouble.error;
      if (awaited.length === 0 || up.length === workers.length) return;
      const starting = workers.filter((worker) => !up.includes(worker));
      // Who has failed is in trouble by then.
      await Promise.race(starting.map(({ whenIdle }) => whenIdle.catch(() => {})));
    }
  }

  /**
   * Discards spare processes until there is room for one more. One process on trial stays, because a
   * pool that is always full would otherwise never see a trial end. Until the trial is over, which a
   * reset's time limit ensures, the pool may have one process more than `size.max`.
   */
  evictSpares(): void {
    this.#shrinkTo(this.#settings.max - 1);
  }

  /** Nothing is started any more, and all that there is goes. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#tending?.timer);
    await Promise.all([...this.#workers].map((worker) => worker.close("pool_closed")));
  }

  #pick(binding: Binding): { readonly worker: Worker; readonly how: ProcessOrigin } {
    if (this.#isClosed) throw new HawserError("pool_closed");
    const worker = this.#best(binding);
    if (worker !== undefined) {
      worker.isReserved = true;
      return { worker, how: howOf(worker.state, worker.requestKey) };
    }
    this.evictSpares();
    const cold = this.#hire(binding, undefined);
    cold.isReserved = true;
    void cold.start("spawned", undefined, 0);
    return { worker: cold, how: "cold" };
  }

  /** One that needs the least until it can answer. */
  #best(binding: Binding): Worker | undefined {
    let best: Worker | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const worker of this.#workers) {
      if (worker.isReserved) continue;
      const rank = rankOf(worker, binding);
      if (rank === Number.POSITIVE_INFINITY) continue;
      // Of two alike, the one that was busy last has more in its caches.
      if (rank < least || (rank === least && worker.idleSince > (best?.idleSince ?? 0))) {
        best = worker;
        least = rank;
      }
    }
    return best;
  }

  #hire(
    { recipe, spawnKey }: Pick<Demand, "recipe" | "spawnKey">,
    familyKey: string | undefined,
  ): Worker {
    const worker = new Worker({
      id: ++this.#started,
      pool: this.#pool,
      spawnKey,
      familyKey,
      recipe,
      log: this.#settings.log,
      onRecycled: () => this.#endExcess(),
      onDiscarded: (reason, gone) => this.#lost(worker, reason, gone),
    });
    this.#workers.add(worker);
    return worker;
  }

  /** A process that was on trial while its place was given away is one too many when it returns. */
  #endExcess(): void {
    if (this.#trial === undefined) this.#shrinkTo(this.#settings.max);
  }

  #shrinkTo(size: number): void {
    const trial = this.#trial;
    const spares = this.#spares().filter((worker) => worker !== trial);
    spares.sort((a, b) => a.idleSince - b.idleSince);
    for (const spare of spares) {
      if (this.#size <= size) return;
      void spare.close("evicted_for_call");
    }
  }

  /** The process on trial that keeps its place; of several executables in doubt, only one has it. */
  get #trial(): Worker | undefined {
    return [...this.#workers].find(({ isOnTrial }) => isOnTrial);
  }

  #lost(worker: Worker, reason: DiscardReason, gone: Promise<void>): void {
    this.#discarded.set(reason, (this.#discarded.get(reason) ?? 0) + 1);
    void gone.then(() => this.#workers.delete(worker));
    // It was ready, and then of use to nobody: the next one may be no better.
    if (worker.isBroken && worker.jobs === 0) this.demands.failed(worker, brokenSpare(reason));
    if (!worker.isReserved) this.scheduleRefill();
  }

  refill(): void {
    const { min, starts } = this.#settings;
    clearTimeout(this.#tending?.timer);
    this.#tending = undefined;
    if (this.#isClosed) return;
    let nextMs = Number.POSITIVE_INFINITY;
    const wanted = this.demands.list();
    for (const [i, demand] of wanted.entries()) {
      const pauseMs = this.demands.pauseMs(demand);
      for (let have = Demands.met(demand, this.#workers); have < min; have += 1) {
        if (this.#count("starting") >= starts) return;
        if (pauseMs > 0) nextMs = Math.min(nextMs, pauseMs);
        if (pauseMs > 0 || !this.#hasRoom(wanted.slice(0, i + 1))) break;
        this.#prepare(demand);
      }
    }
    // Unless something else will have it look before.
    if (this.#tending === undefined && Number.isFinite(nextMs)) this.scheduleRefill(nextMs);
  }

  #prepare(demand: Demand): void {
    const { requestKey, familyKey } = demand;
    const worker = this.#hire(demand, familyKey);
    const how: Preparation = requestKey === undefined ? "probed" : "initialized";
    worker.start(how, requestKey, SPARE_START_MS).then(
      () => {
        this.scheduleRefill();
      },
      (error: unknown) => {
        // One that was let go meanwhile has not failed.
        if (worker.state !== "closing") {
          this.scheduleRefill(this.demands.failed(demand, error));
          this.#settings.log.warn("a process could not be made ready", { error: textOf(error) });
        }
        void worker.close("start_failed");
      },
    );
  }

  /** Whether one more is possible for the last of these; what none of them needs gives way. */
  #hasRoom(wanted: readonly Demand[]): boolean {
    if (this.#size < this.#settings.max) return true;
    const now = performance.now();
    // One that has just served has what its callers ask for; a spare is only a guess.
    const isRecent = ({ state, idleSince }: Worker) =>
      state === "recycled" && now - idleSince < RECENT_MS;
    const isNeeded = (worker: Worker) => wanted.some((it) => Demands.met(it, [worker]) > 0);
    const victims = this.#spares().filter(
      (worker) => worker.isIdle && !isRecent(worker) && !isNeeded(worker),
    );
    const [victim] = victims.sort((a, b) => a.idleSince - b.idleSince);
    void victim?.close("evicted_for_spare");
    return victim !== undefined;
  }

  #letGoIdle(): void {
    const { idleMs, maxAgeMs, min } = this.#settings;
    const now = performance.now();
    const wanted = this.demands.list();
    for (const worker of this.#spares()) {
      if (!worker.isIdle) continue;
      const isSurplus = wanted.every((it) => {
        return Demands.met(it, [worker]) === 0 || Demands.met(it, this.#workers) > min;
      });
      if (now - worker.startedAt > maxAgeMs) void worker.close("max_age");
      else if (isSurplus && now - worker.idleSince > idleMs) void worker.close("idle");
    }
  }

  /** Those that nobody has, oldest first. */
  #spares(): Worker[] {
    return [...this.#workers].filter(
      ({ isReserved: isTaken, state }) => !isTaken && state !== "closing",
    );
  }

  get #size(): number {
    const living = [...this.#workers].filter(({ state }) => state !== "closing");
    return living.length + this.outside;
  }

  #count(state: WorkerState): number {
    return [...this.#workers].filter((worker) => worker.state === state).length;
  }
}

/** Time for the call that has just begun, before a start takes a core away from it. */
const REFILL_AFTER_MS = 500;
const RECENT_MS = 30_000;
const LONGEST_SWEEP_MS = 10_000;
const SPARE_START_MS = 60_000;

const MOST_TRIES = 10;

/** One that is always killed at its start has a reason for it. */
const MOST_STARTS = 3;

function howOf(state: WorkerState, requestKey: string | undefined): ProcessOrigin {
  if (state === "recycled" || state === "resetting") return "recycled";
  return requestKey === undefined ? "generic" : "initialized";
}

function brokenSpare(reason: DiscardReason): HawserError {
  const why = reason === "exited" ? "it ended" : "it spoke though nobody had asked";
  return new HawserError("process_exited", `A process that was ready is of no use: ${why}.`);
}
