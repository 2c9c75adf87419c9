import { isHawserError } from "hawser";
import { expireDueRuns } from "../runs/expire-runs.js";
import { Heartbeat } from "./heartbeat.js";
import { HostFaults } from "./host-faults.js";
import { HostRegistry } from "./host-registry.js";
import { Segment } from "./segment/segment.js";
import { sweepWorkspaces } from "./segment/workspace.js";
import type { Worker } from "./worker.js";
import type { WorkerSettings } from "./worker-settings.js";

/**
 * - `working`: claims what it can.
 * - `draining`: claims nothing more; the running segments go on for a while.
 * - `closed`: nothing runs.
 */
type State = "working" | "draining" | "closed";

/** Claims runs as soon as a slot is free, and works on them. */
export class FleetWorker implements Worker {
  readonly #settings: WorkerSettings;
  readonly #segments = new Set<Segment>();
  readonly #running = new Set<Promise<void>>();
  readonly #heartbeat: Heartbeat;
  readonly #registry: HostRegistry;
  readonly #stops: (() => void)[] = [];
  readonly #hostFaults = new HostFaults();
  #state: State = "working";
  #wake: () => void = () => {};
  #waking: NodeJS.Timeout | undefined;
  /** How many workers the fleet has, this one included. */
  #workers = 1;
  #claiming: Promise<void> = Promise.resolve();
  #ended: Promise<void> | undefined;

  private constructor(settings: WorkerSettings, registry: HostRegistry) {
    const { claims, leaseMs } = settings.parts;
    this.#settings = settings;
    this.#registry = registry;
    this.#heartbeat = new Heartbeat(claims, leaseMs, this.#segments, settings.logger);
  }

  static async start(settings: WorkerSettings): Promise<FleetWorker> {
    const { database } = settings.parts;
    const registry = await HostRegistry.open(database, settings.name);
    const worker = new FleetWorker(settings, registry);
    try {
      await worker.#begin();
    } catch (error) {
      await worker.#stop();
      throw error;
    }
    return worker;
  }

  get name(): string {
    return this.#settings.name;
  }

  get slots(): number {
    return this.#settings.slots;
  }

  get active(): number {
    return this.#segments.size;
  }

  drain({
    timeoutMs = this.#settings.drainMs,
  }: {
    readonly timeoutMs?: number;
  } = {}): Promise<void> {
    this.#ended ??= this.#drain(timeoutMs);
    return this.#ended;
  }

  /** Hurries a drain that is under way. */
  async close(): Promise<void> {
    const drained = this.drain({ timeoutMs: 0 });
    this.#giveBackAll();
    await drained;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #begin(): Promise<void> {
    const { database } = this.#settings.parts;
    await this.#register();
    this.#stops.push(await database.listen("wake", () => this.#wakeSoon()));
    this.#stops.push(
      await database.listen("cancel", (run) => {
        if (run === undefined) {
          this.#cancelWanted().catch((error: unknown) =>
            this.#report("Cancelled runs could not be looked for.", error),
          );
        } else if (!this.#cancel(run)) void this.#sweep(run);
      }),
    );
    this.#every(SECOND, () => this.#cancelWanted());
    for (const work of this.#upkeep) this.#every(SECOND, () => this.#doForAll(work));
    this.#every(REGISTER_MS, () => this.#register());
    this.#every(SWEEP_MS, () => this.#sweep());
    await this.#sweep();
    this.#claiming = this.#claimAll();
  }

  /** Claims until the worker drains. A claim that finds nothing is tried again when something may have come. */
  async #claimAll(): Promise<void> {
    while (this.#state === "working") {
      const woken = this.#nextWake();
      const mayClaim = this.active < this.slots && !this.#hostFaults.isPaused;
      const isClaimed = mayClaim && (await this.#claim());
      if (!isClaimed && this.#state === "working") await woken;
    }
  }

  async #claim(): Promise<boolean> {
    const { parts, name, queues } = this.#settings;
    const goesOn = () => this.#state === "working";
    const onUnfinished = () => this.#wake();
    try {
      const unfitFor = this.#hostFaults.runs;
      const claim = await parts.claims.claim({
        host: name,
        queues,
        unfitFor,
        goesOn,
        onUnfinished,
      });
      if (claim === undefined) return false;
      this.#start(new Segment(this.#settings, claim));
      return true;
    } catch (error) {
      this.#report("A claim failed.", error);
      return false;
    }
  }

  #start(segment: Segment): void {
    this.#segments.add(segment);
    const running = segment.run().then(() => {
      this.#segments.delete(segment);
      this.#running.delete(running);
      if (segment.isHostFault) this.#hostFaults.add(segment.claim.run.id);
      else this.#hostFaults.clear();
      this.#wake();
    });
    this.#running.add(running);
    // A drain that began while the claim was made must not wait for the whole run.
    if (this.#state !== "working") segment.giveBack(DRAINED);
  }

  /**
   * Every worker hears of a new run at the same moment, and only one of them gets it. Each waits for a random time that
   * grows with their number, so that one comes first after about a millisecond, and the others see that it is gone.
   */
  #wakeSoon(): void {
    this.#waking ??= setTimeout(
      () => {
        this.#waking = undefined;
        this.#wake();
      },
      Math.random() * this.#workers * WAKE_SPREAD_MS,
    );
  }

  /** Resolves when the worker is woken, at the latest after a second. Made before the claim, so that none is missed. */
  #nextWake(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, SECOND);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #drain(timeoutMs: number): Promise<void> {
    this.#state = "draining";
    this.#wake();
    await this.#register().catch(() => {}); // For statistics only.
    await this.#claiming;
    for (const segment of this.#segments) segment.parkQuestions();
    const timer = setTimeout(() => this.#giveBackAll(), Math.min(timeoutMs, LONGEST_TIMER_MS));
    await Promise.all(this.#running);
    clearTimeout(timer);
    await this.#stop();
  }

  #giveBackAll(): void {
    for (const segment of this.#segments) segment.giveBack(DRAINED);
  }

  async #stop(): Promise<void> {
    this.#state = "closed";
    this.#heartbeat.stop();
    clearTimeout(this.#waking);
    for (const stop of this.#stops) stop();
    await this.#sweep();
    await this.#registry
      .remove()
      .catch((error: unknown) => this.#report("A host stays listed.", error));
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    let isRunning = false;
    const timer = setInterval(async () => {
      if (isRunning) return;
      isRunning = true;
      await work().catch((error: unknown) => this.#report("The upkeep of a worker failed.", error));
      isRunning = false;
    }, intervalMs);
    this.#stops.push(() => clearInterval(timer));
  }

  /**
   * What any worker does for all: jobs of silent hosts, questions and runs whose time is over. Each for itself, because
   * one of them may have to wait for the transaction of a caller.
   */
  get #upkeep(): readonly (() => Promise<unknown>)[] {
    const { parts } = this.#settings;
    return [() => parts.engine.recover(), () => parts.desk.expireDue(), () => expireDueRuns(parts)];
  }

  async #doForAll(work: () => Promise<unknown>): Promise<void> {
    // In a large fleet, the others do it often enough.
    if (Math.random() * this.#workers <= UPKEEPS_PER_SECOND) await work();
  }

  async #register(): Promise<void> {
    const { slots, queues } = this.#settings;
    const draining = this.#state !== "working";
    this.#workers = await this.#registry.write({ slots, active: this.active, queues, draining });
  }

  /** In case that a notification was missed. */
  async #cancelWanted(): Promise<void> {
    const { database } = this.#settings.parts;
    const runs = [...this.#segments].map(({ claim }) => claim.run.id);
    if (runs.length === 0) return;
    const { rows } = await database.query<{ id: string }>(
      `select id from ${database.schema}.run where id = any($1::uuid[]) and cancel_requested_at is not null`,
      [runs],
    );
    for (const { id } of rows) this.#cancel(id);
  }

  /** False if this worker does not work on the run. */
  #cancel(run: string): boolean {
    const ours = [...this.#segments].filter(({ claim }) => claim.run.id === run);
    for (const segment of ours) segment.cancel();
    return ours.length > 0;
  }

  /** A folder that stays is removed the next time. */
  async #sweep(run?: string): Promise<void> {
    await sweepWorkspaces(this.#settings.parts.database, run).catch((error: unknown) =>
      this.#report("Folders of ended runs could not be removed.", error),
    );
  }

  #report(what: string, error: unknown): void {
    const { logger } = this.#settings;
    // The database comes back, and everything is tried again.
    if (isHawserError(error, "database_unavailable")) logger?.warn(what, { error });
    else logger?.error(what, { error });
  }
}

const SECOND = 1_000;

/** After a wake, so much for each worker of the fleet: all of them together then ask a thousand times a second at most. */
const WAKE_SPREAD_MS = 1;

/** How often the whole fleet looks for silent hosts, and for what has expired. */
const UPKEEPS_PER_SECOND = 20;

/** `setTimeout()` fires at once if it is given a longer time. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const REGISTER_MS = 5_000;
const SWEEP_MS = 60_000;

/** The reason in the event `returned`. */
const DRAINED = "worker_drained";
