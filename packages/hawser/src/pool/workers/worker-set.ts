import { CHANNELS, HawserError, publish, textOf } from "../../base/index.js";
import { type LeaseRequest, numberOf, type Session } from "../../session/index.js";
import type { ProcessSupply } from "../admission/admission.js";
import type { Binding } from "../binding.js";
import type { LeaseAccount } from "../lease-account.js";
import type { PoolSettings } from "../options.js";
import { type Demand, Demands } from "./demands.js";
import type { DiscardReason } from "./discard-reason.js";
import { ResetWaits } from "./reset-waits.js";
import { type Preparation, Worker, type WorkerOwner, type WorkerState } from "./worker.js";
import {
  chooseWorker,
  limitsOf,
  mayAnotherSucceed,
  originOf,
  type ProcessOrigin,
  spareFor,
  untilIdle,
} from "./worker-choice.js";

/** A session that is ready, and the worker whose process it uses. */
export interface Served {
  readonly session: Session;
  readonly worker: Worker;
  readonly origin: ProcessOrigin;
}

/** All workers of a pool: finds one for each call, and starts spares ahead of the calls to come. */
export class WorkerSet implements WorkerOwner, ProcessSupply {
  readonly demands: Demands;
  /** Processes that were started for one call alone. They are no workers, but count for `size.max`. */
  aloneCount = 0;
  readonly #settings: PoolSettings;
  readonly #pool: number;
  readonly #workers = new Set<Worker>();
  readonly #resetWaits = new ResetWaits();
  readonly #discarded = new Map<DiscardReason, number>();
  readonly #sweep: NodeJS.Timeout;
  #started = 0;
  #nextRefill: { readonly timer: NodeJS.Timeout; readonly dueAt: number } | undefined;
  #isClosed = false;

  constructor(settings: PoolSettings, pool: number) {
    this.#settings = settings;
    this.#pool = pool;
    this.demands = new Demands(settings.idleMs);
    const everyMs = Math.min(Math.max(settings.idleMs / 4, 20), LONGEST_SWEEP_MS);
    this.#sweep = setInterval(() => this.#evictIdle(), everyMs);
    this.#sweep.unref();
  }

  get workers(): Iterable<Worker> {
    return this.#workers;
  }

  /** How many workers were closed, by reason. */
  get discarded(): ReadonlyMap<DiscardReason, number> {
    return this.#discarded;
  }

  get started(): number {
    return this.#started;
  }

  hasPlaceFor(binding: Binding): boolean {
    if (this.#size < this.#settings.max) return true;
    return !binding.isAlone && chooseWorker(this.#workers, binding) !== undefined;
  }

  countFor({ requestKey }: Binding): number {
    let count = 0;
    for (const worker of this.#workers) {
      if (worker.requestKey === requestKey && worker.state !== "closing") count += 1;
    }
    return count;
  }

  /**
   * A ready session on the best worker. A worker that fails is closed, and the next one is tried, because
   * no prompt has been sent yet.
   */
  async serve(binding: Binding, request: LeaseRequest, account: LeaseAccount): Promise<Served> {
    let starts = 0;
    for (let tries = 1; ; tries += 1) {
      const { worker, origin } = this.#reserve(binding);
      if (origin === "cold") starts += 1;
      try {
        const limits = limitsOf(request, binding, origin);
        await this.#untilReady(worker, binding, request.options.signal, limits.bootMs);
        const watched = { ...request, watcher: account.watch() };
        const session = await worker.serve(binding, watched, limits);
        publish(CHANNELS.processAssigned, () => {
          return worker.event({ how: origin, call: request.call, session: numberOf(session) });
        });
        this.demands.succeeded(binding);
        this.scheduleRefill(REFILL_AFTER_MS);
        return { session, worker, origin };
      } catch (error) {
        const isAborted = request.options.signal?.aborted === true;
        // The caller has only waited for this worker, so another caller can have it.
        if (isAborted && origin !== "cold" && worker.state !== "serving") {
          worker.isReserved = false;
          throw error;
        }
        void worker.close(origin === "cold" ? "start_failed" : "failed_when_needed");
        const mayRetry = !isAborted && starts < MOST_STARTS && tries < MOST_TRIES;
        if (this.#isClosed || !mayRetry || !mayAnotherSucceed(error, origin)) throw error;
      }
    }
  }

  /**
   * Resolves when the spares for `warm` are idle, as far as there is room for them. Throws why one of
   * them did not start.
   */
  async ready(): Promise<void> {
    for (;;) {
      const wasPaused = this.demands.announced().some((demand) => this.demands.troubleOf(demand));
      this.refill();
      const workers = [...this.#workers];
      const up = workers.filter(({ state }) => state !== "starting");
      const isUp = (demand: Demand) => Demands.met(demand, up) >= this.#settings.min;
      const awaited = this.demands.announced().filter((demand) => !isUp(demand));
      const [trouble] = awaited.flatMap((demand) => this.demands.troubleOf(demand) ?? []);
      if (trouble !== undefined) throw trouble.error;
      if (awaited.length === 0) return;
      if (up.length === workers.length) {
        // If a pause has ended since refill() looked, refill() starts a process now. Otherwise there is no room.
        if (wasPaused) continue;
        return;
      }
      const starting = workers.filter((worker) => !up.includes(worker));
      // A failed start has already recorded its error in `demands` when this resolves.
      await Promise.race(starting.map(({ whenIdle }) => whenIdle.catch(() => {})));
    }
  }

  /** Starts the spares that are missing, after this time. The earliest of several times counts. */
  scheduleRefill(afterMs = 0): void {
    const dueAt = performance.now() + afterMs;
    if (this.#isClosed || (this.#nextRefill !== undefined && this.#nextRefill.dueAt <= dueAt))
      return;
    clearTimeout(this.#nextRefill?.timer);
    const timer = setTimeout(() => this.refill(), afterMs);
    timer.unref();
    this.#nextRefill = { timer, dueAt };
  }

  /** Starts the spares that are missing, as far as there is room and as many starts at once are allowed. */
  refill(): void {
    const { min, starts } = this.#settings;
    clearTimeout(this.#nextRefill?.timer);
    this.#nextRefill = undefined;
    if (this.#isClosed) return;
    let nextMs = Number.POSITIVE_INFINITY;
    const wanted = this.demands.list();
    for (const [i, demand] of wanted.entries()) {
      const pauseMs = this.demands.pauseMs(demand);
      for (let have = Demands.met(demand, this.#workers); have < min; have += 1) {
        if (this.#count("starting") >= starts) return;
        if (pauseMs > 0) nextMs = Math.min(nextMs, pauseMs);
        if (pauseMs > 0 || !this.#hasRoomForSpare(wanted.slice(0, i + 1))) break;
        this.#spawnSpare(demand);
      }
    }
    // A refill that was scheduled meanwhile comes first and looks at the pauses again.
    if (this.#nextRefill === undefined && Number.isFinite(nextMs)) this.scheduleRefill(nextMs);
  }

  /**
   * Closes spares until there is room for one more process. One process on trial stays, because a pool
   * that is always full would otherwise never see a trial end. Until the trial is over, which a reset's
   * time limit ensures, the pool may have one process more than `size.max`.
   */
  evictSpares(): void {
    this.#shrinkTo(this.#settings.max - 1);
  }

  /** Starts nothing any more, and closes all workers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#nextRefill?.timer);
    await Promise.all([...this.#workers].map((worker) => worker.close("pool_closed")));
  }

  /** A worker that was on trial while a call got its place may be one too many when it is idle again. */
  onRecycled(): void {
    if (this.#trial === undefined) this.#shrinkTo(this.#settings.max);
  }

  onClosing(worker: Worker, reason: DiscardReason, gone: Promise<void>): void {
    this.#discarded.set(reason, (this.#discarded.get(reason) ?? 0) + 1);
    void gone.then(() => this.#workers.delete(worker));
    const message = IDLE_FAULTS[reason];
    // The worker was ready and failed before any call: the next one for these options may be no better.
    if (message !== undefined && worker.jobs === 0) {
      this.demands.failed(worker, new HawserError("process_exited", message));
    }
    if (!worker.isReserved) this.scheduleRefill();
  }

  #reserve(binding: Binding): { readonly worker: Worker; readonly origin: ProcessOrigin } {
    if (this.#isClosed) throw new HawserError("pool_closed");
    const worker = chooseWorker(this.#workers, binding);
    if (worker !== undefined) {
      worker.isReserved = true;
      return { worker, origin: originOf(worker) };
    }
    this.evictSpares();
    const cold = this.#add(binding, undefined);
    cold.isReserved = true;
    void cold.start("spawned", undefined, 0);
    return { worker: cold, origin: "cold" };
  }

  async #untilReady(
    worker: Worker,
    binding: Binding,
    signal: AbortSignal | undefined,
    limitMs: number,
  ): Promise<void> {
    worker.checkIfStale();
    if (worker.isReady && !signal?.aborted) return;
    const isReset = worker.state === "resetting";
    const from = performance.now();
    await untilIdle(worker, signal, limitMs);
    if (isReset) this.#noteResetWait(worker, binding, performance.now() - from);
  }

  /** Has one more process for this request if that pays off, so that the next calls need not wait. */
  #noteResetWait({ readyMs }: Worker, binding: Binding, waitedMs: number): void {
    const { requestKey } = binding;
    if (this.#isClosed || readyMs === undefined) return;
    if (!this.#resetWaits.add(requestKey, waitedMs, readyMs)) return;
    // A reset keeps a core busy, so that more processes than cores would wait for each other.
    const inTurn = [...this.#workers].filter((worker) => {
      return worker.requestKey === requestKey && worker.jobs > 0;
    });
    if (inTurn.length >= this.#settings.starts) return;
    const spare = spareFor(this.#workers, binding) ?? this.#spawnSpareFor(binding);
    if (spare !== undefined) spare.hidesResets = true;
  }

  #spawnSpareFor({ recipe, spawnKey, requestKey, isInitializable }: Binding): Worker | undefined {
    const { max, starts } = this.#settings;
    const demand = { recipe, spawnKey, requestKey, familyKey: undefined };
    const isPaused = this.demands.pauseMs(demand) > 0;
    if (!isInitializable || isPaused || this.#size >= max) return undefined;
    return this.#count("starting") < starts ? this.#spawnSpare(demand) : undefined;
  }

  #spawnSpare(demand: Demand): Worker {
    const { requestKey, familyKey } = demand;
    const worker = this.#add(demand, familyKey);
    const preparation: Preparation = requestKey === undefined ? "primed" : "initialized";
    worker.start(preparation, requestKey, SPARE_START_MS).then(
      () => {
        this.scheduleRefill();
      },
      (error: unknown) => {
        // A worker that was closed meanwhile has not failed.
        if (worker.state !== "closing") {
          this.scheduleRefill(this.demands.failed(demand, error));
          this.#settings.log.warn("a process could not be made ready", { error: textOf(error) });
        }
        void worker.close("start_failed");
      },
    );
    return worker;
  }

  #add(
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
      owner: this,
      trustedMs: this.#settings.trustedMs,
    });
    this.#workers.add(worker);
    return worker;
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

  /** The worker on trial that keeps its place; of several executables in doubt, only one has it. */
  get #trial(): Worker | undefined {
    return [...this.#workers].find(({ isOnTrial }) => isOnTrial);
  }

  /** Whether there is room for one more spare; evicts a worker that none of these demands needs. */
  #hasRoomForSpare(wanted: readonly Demand[]): boolean {
    if (this.#size < this.#settings.max) return true;
    const now = performance.now();
    // A worker that has just served matches real calls; a spare is only a guess.
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

  #evictIdle(): void {
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

  /** The workers that no caller has, oldest first. */
  #spares(): Worker[] {
    return [...this.#workers].filter(({ isReserved, state }) => !isReserved && state !== "closing");
  }

  get #size(): number {
    const living = [...this.#workers].filter(({ state }) => state !== "closing");
    return living.length + this.aloneCount;
  }

  #count(state: WorkerState): number {
    return [...this.#workers].filter((worker) => worker.state === state).length;
  }
}

/** Leaves the cores to the call that has just begun before a spare is started. */
const REFILL_AFTER_MS = 500;
const RECENT_MS = 30_000;
const LONGEST_SWEEP_MS = 10_000;
const SPARE_START_MS = 60_000;

const MOST_TRIES = 10;

/** Gives up after three cold starts that die, because a fourth will not help. */
const MOST_STARTS = 3;

const IDLE_FAULTS: { readonly [reason in DiscardReason]?: string } = {
  exited: "A ready process ended before a call used it.",
  unresponsive: "A ready process did not answer before a call used it.",
  unexpected_output: "A ready process sent output although no call used it.",
};
