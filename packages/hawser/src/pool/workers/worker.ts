import { randomUUID } from "node:crypto";
import { HawserError, type Logger, omitUndefined } from "../../base/index.js";
import { type CliProcess, spawnCli } from "../../process/index.js";
import {
  CHANNELS,
  handBack,
  type LeaseRequest,
  type ProcessEvent,
  publish,
  Session,
  type Timeouts,
  type Warm,
} from "../../session/index.js";
import type { HostRequest, ResultMessage } from "../../wire/index.js";
import type { Binding, Recipe } from "../binding.js";
import type { ResetRecord } from "../reset-records.js";
import type { DiscardReason } from "./discard-reason.js";
import { type IdleWatch, watchIdle } from "./idle-watch.js";
import { checkHealth, preinitialize } from "./preinitialize.js";
import { prime } from "./prime.js";
import { rssMbOf } from "./rss.js";
import { spawnPlanOf } from "./spawn-plan.js";

export type WorkerState =
  | "starting"
  | "generic"
  | "initialized"
  | "recycled"
  | "serving"
  | "resetting"
  | "closing";

export interface WorkerOptions {
  readonly id: number;
  readonly pool: number;
  readonly spawnKey: string;
  /** Of those that can be told their folder, until they have been. */
  readonly familyKey: string | undefined;
  readonly recipe: Recipe;
  readonly log: Logger;
  /** The process was reset and waits for its next caller. */
  readonly onRecycled: () => void;
  /** It is of no more use; `gone` resolves when nothing of it is left. */
  readonly onDiscarded: (reason: DiscardReason, gone: Promise<void>) => void;
}

export interface RecyclingTerms {
  readonly maxRssMb: number;
  /** Whether the CLI must begin to count what is spent from nothing. */
  readonly countsAnew: boolean;
  readonly resets: ResetRecord;
}

/** What else there is to know, and to do, when a worker is closed. */
export interface Ending {
  /** Told to the log beside the reason. */
  readonly detail?: string;
  /** Ends the session that uses the process, before the process itself. */
  readonly session?: () => Promise<void>;
}

/** How a worker gets to be of use. */
export type Preparation = "spawned" | "probed" | "initialized";

/** One process of a pool, from its start to its end. It never serves two at once. */
export class Worker {
  readonly startedAt: number = performance.now();
  /** Whether somebody is to have it, now or when it has come to rest. */
  isReserved = false;
  readonly #facts: WorkerOptions;
  #state: WorkerState = "starting";
  #spawnKey: string;
  #requestKey: string | undefined;
  #process: CliProcess | undefined;
  #warm: Pick<Warm, "info" | "sessionId" | "before"> = { sessionId: undefined };
  #silence: IdleWatch | undefined;
  #idleSince = 0;
  #jobs = 0;
  #rssMb: number | undefined;
  #isReady = false;
  #isBroken = false;
  /** Whether it can be handed on after the one that it serves. */
  #returns = false;
  #whenIdle: Promise<void> = Promise.resolve();
  #gone: Promise<void> | undefined;

  constructor(facts: WorkerOptions) {
    this.#facts = facts;
    this.#spawnKey = facts.spawnKey;
  }

  get state(): WorkerState {
    return this.#state;
  }

  get spawnKey(): string {
    return this.#spawnKey;
  }

  get familyKey(): string | undefined {
    return this.#facts.familyKey;
  }

  /** What it has been told; undefined for one that can still be told anything. */
  get requestKey(): string | undefined {
    return this.#requestKey;
  }

  get jobs(): number {
    return this.#jobs;
  }

  get rssMb(): number | undefined {
    return this.#rssMb;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isIdle(): boolean {
    return IDLE.has(this.#state);
  }

  /** Whether it is ready for the next one, or will be without anybody's doing. */
  get isComing(): boolean {
    if (this.#state === "serving" || this.#state === "resetting") return this.#returns;
    return this.#state !== "closing" && !this.isReserved;
  }

  /** Whether its reset is a trial, for which no caller waits: the executable is in doubt. */
  get isOnTrial(): boolean {
    return this.#state === "resetting" && !this.#returns;
  }

  /** Whether it spoke or ended while it had nothing to do. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Settles when it has come to rest; rejects if it never will. */
  get whenIdle(): Promise<void> {
    return this.#whenIdle;
  }

  /** Starts the process, and makes it as ready as is asked for. */
  start(preparation: Preparation, requestKey: string | undefined, bootMs: number): Promise<void> {
    if (preparation === "initialized") this.#requestKey = requestKey;
    this.#whenIdle = this.#start(preparation, bootMs);
    this.#whenIdle.catch(() => {});
    return this.#whenIdle;
  }

  /** Serves a request; the session is ready when this resolves, and nothing was sent to it yet. */
  async serve(binding: Binding, request: LeaseRequest, timeouts: Timeouts): Promise<Session> {
    const process = this.#leaveIdle();
    const isTold = this.#requestKey !== undefined;
    const restedMs = performance.now() - this.#idleSince;
    const session = new Session({
      ...request,
      timeouts,
      warm: {
        ...this.#warm,
        process,
        prepared: binding.prepared,
        late: isTold ? [] : this.#late(binding),
      },
    });
    this.#state = "serving";
    this.#returns = binding.resets?.mayBeAwaited === true;
    this.#requestKey = binding.requestKey;
    this.#spawnKey = binding.spawnKey;
    this.#jobs += 1;
    const info = await session.initializationResult();
    this.#tellReady();
    // One that was told nothing now might have stopped listening long ago.
    if (isTold && restedMs > TRUSTED_MS) await checkHealth(session, binding.prepared.version);
    this.#warm = { ...this.#warm, info };
    return session;
  }

  /** Resets the conversation of the session that it served, and takes the process back. */
  recycle(session: Session, terms: RecyclingTerms): Promise<void> {
    this.#state = "resetting";
    this.#returns = terms.resets.mayBeAwaited;
    this.isReserved = false;
    this.#whenIdle = this.#recycle(session, terms);
    this.#whenIdle.catch(() => {});
    return this.#whenIdle;
  }

  /** Lets it go; resolves when nothing of it is left. */
  close(reason: DiscardReason, ending: Ending = {}): Promise<void> {
    if (this.#gone !== undefined) return this.#gone;
    this.#state = "closing";
    this.#gone = this.#end(reason, ending);
    this.#facts.onDiscarded(reason, this.#gone);
    return this.#gone;
  }

  event(more: Partial<ProcessEvent> = {}): ProcessEvent {
    const { pool, id } = this.#facts;
    return { pool, worker: id, pid: this.pid, jobs: this.#jobs, ...more };
  }

  #late({ late, cwd }: Binding): readonly HostRequest[] {
    if (this.#facts.familyKey === undefined) return late;
    return [{ subtype: "claim_session", cwd }, ...late];
  }

  async #start(preparation: Preparation, bootMs: number): Promise<void> {
    const { recipe, log } = this.#facts;
    const sessionId = randomUUID();
    const prepared = spawnPlanOf(recipe, { sessionId, log, roams: this.familyKey !== undefined });
    const process = await spawnCli(prepared);
    this.#process = process;
    if (this.#gone !== undefined) {
      await process.kill();
      throw new HawserError("closed");
    }
    this.#warm = { sessionId };
    publish(CHANNELS.processStart, () => this.event());
    const running = { process, prepared };
    if (preparation === "probed") await prime(running, bootMs);
    if (preparation === "initialized") {
      const info = await preinitialize(
        recipe,
        { ...running, sessionId, late: recipe.late },
        bootMs,
      );
      this.#warm = { sessionId, info };
    }
    this.#enterIdle(this.#requestKey === undefined ? "generic" : "initialized");
    if (preparation !== "spawned") this.#tellReady();
  }

  /** Once. */
  #tellReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    const ms = performance.now() - this.startedAt;
    publish(CHANNELS.processReady, () => this.event({ ms }));
  }

  async #recycle(session: Session, terms: RecyclingTerms): Promise<void> {
    const began = performance.now();
    const reset = handBack(session, RESET_MS);
    const { process, result } = await terms.resets.note(reset, () => this.#gone !== undefined);
    if (process !== this.#process)
      throw new HawserError("protocol_error", "It is another process.");
    if (terms.countsAnew && result.total_cost_usd !== 0) {
      void this.close("budget_not_reset");
    }
    this.#keep(result);
    this.#silence = watchIdle(process, this.#facts.log, (why) => this.#break(why));
    if (process.pid !== undefined) this.#rssMb = await rssMbOf(process.pid);
    if (this.#rssMb !== undefined && this.#rssMb > terms.maxRssMb) {
      void this.close("max_rss");
    }
    if (this.#gone !== undefined) throw new HawserError("closed");
    const ms = performance.now() - began;
    publish(CHANNELS.processReset, () => this.event({ ms }));
    this.#enterIdle("recycled");
    this.#facts.onRecycled();
  }

  #keep(result: ResultMessage): void {
    const { info } = this.#warm;
    this.#warm = { info, sessionId: result.session_id, before: result };
  }

  #enterIdle(state: WorkerState): void {
    const { log } = this.#facts;
    const process = this.#process;
    if (this.#gone !== undefined || process === undefined) throw new HawserError("closed");
    this.#silence ??= watchIdle(process, log, (why) => this.#break(why));
    this.#state = state;
    this.#idleSince = performance.now();
  }

  #break(why: DiscardReason): void {
    this.#isBroken = true;
    void this.close(why);
  }

  #leaveIdle(): CliProcess {
    const process = this.#process;
    const broken = this.#silence?.detach();
    this.#silence = undefined;
    if (process === undefined || this.#gone !== undefined || broken === true) {
      throw new HawserError("process_exited", "The process was gone before it could be used.");
    }
    return process;
  }

  async #end(reason: DiscardReason, { detail, session }: Ending): Promise<void> {
    const settling = this.#whenIdle.catch(() => {});
    this.#silence?.detach();
    this.#facts.log.debug("a process is let go", {
      pid: this.pid,
      reason,
      ...omitUndefined({ detail }),
    });
    publish(CHANNELS.processDiscarded, () => this.event({ reason }));
    await session?.();
    await this.#process?.terminate();
    // Of one that was still being started, this is the end.
    await settling;
  }
}

const IDLE: ReadonlySet<WorkerState> = new Set(["generic", "initialized", "recycled"]);

/** Seen: 5 to 40 ms. */
const RESET_MS = 10_000;

/** One that was heard of this lately need not be asked whether it lives. */
const TRUSTED_MS = 10_000;
