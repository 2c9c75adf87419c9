import { randomUUID } from "node:crypto";
import {
  CHANNELS,
  eventTime,
  HawserError,
  type Logger,
  omitUndefined,
  type ProcessEvent,
  publish,
} from "../../base/index.js";
import { type CliProcess, spawnCli } from "../../process/index.js";
import {
  type LeaseRequest,
  type PrestartedProcess,
  resetAndDetachProcess,
  Session,
  type Timeouts,
} from "../../session/index.js";
import type { HostRequest, ResultMessage } from "../../wire/index.js";
import { type Binding, preparedFor, type Recipe } from "../binding.js";
import type { ResetRecord } from "../reset-records.js";
import type { DiscardReason } from "./discard-reason.js";
import { IdleWatch } from "./idle-watch.js";
import { preinitialize } from "./preinitialize.js";
import { prime } from "./prime.js";
import { rssMbOf } from "./rss.js";
import { spawnPlanOf } from "./spawn-plan.js";

/**
 * The state of a process in a pool. `starting`: it cannot serve yet. `generic`: idle, and can receive any
 * options that fit its start. `initialized`: idle, and has received its options. `recycled`: idle
 * after a reset. `serving`: a call or session has it. `resetting`: it forgets the last
 * conversation. `closing`: it ends.
 */
export type WorkerState =
  | "starting"
  | "generic"
  | "initialized"
  | "recycled"
  | "serving"
  | "resetting"
  | "closing";

type IdleState = Extract<WorkerState, "generic" | "initialized" | "recycled">;

type State =
  | { readonly name: "starting" | IdleState | "closing" }
  /** `returns`: the worker is expected to be idle again after this call and its reset. */
  | { readonly name: "serving" | "resetting"; readonly returns: boolean };

/** The set that a worker belongs to. */
export interface WorkerOwner {
  /** The process was reset and waits for its next caller. */
  onRecycled(): void;
  /** The worker can no longer serve; `gone` resolves when nothing of its process is left. */
  onClosing(worker: Worker, reason: DiscardReason, gone: Promise<void>): void;
}

export interface WorkerOptions {
  readonly id: number;
  readonly pool: number;
  readonly spawnKey: string;
  /**
   * The key of all processes that can still receive any folder; undefined for a process that has a folder.
   */
  readonly familyKey: string | undefined;
  readonly recipe: Recipe;
  readonly log: Logger;
  readonly owner: WorkerOwner;
  /** How long a process that has answered is believed to answer the next call, in milliseconds. */
  readonly trustedMs: number;
}

export interface RecyclingTerms {
  readonly maxRssMb: number;
  /** Whether the CLI must count its costs from zero again. */
  readonly countsAnew: boolean;
  readonly resets: ResetRecord;
}

/** Further facts and actions for the end of a worker. */
export interface ClosingTerms {
  /** Logged along with the reason. */
  readonly detail?: string;
  /** Ends the session that uses the process, before the process itself. */
  readonly endSession?: () => Promise<void>;
}

/**
 * How far a process is made ready ahead of its first call: only `spawned`, `primed` so that it listens,
 * or `initialized` with all that the call will need.
 */
export type Preparation = "spawned" | "primed" | "initialized";

/** One process of a pool, from its start to its end. It never serves two callers at once. */
export class Worker {
  readonly startedAt: number = performance.now();
  /** Whether a caller has the worker, or waits for it to be idle. */
  isReserved = false;
  /** Whether a call takes this worker rather than wait for the reset of another one. */
  hidesResets = false;
  readonly #options: WorkerOptions;
  #state: State = { name: "starting" };
  #spawnKey: string;
  #requestKey: string | undefined;
  #process: CliProcess | undefined;
  /** The facts about the conversation of the process that the next session needs. */
  #conversation: Pick<PrestartedProcess, "info" | "sessionId" | "before"> = {
    sessionId: undefined,
  };
  #idleWatch: IdleWatch | undefined;
  #idleSince = 0;
  #jobs = 0;
  #rssMb: number | undefined;
  #rssReadAt = Number.NEGATIVE_INFINITY;
  #readyMs: number | undefined;
  #whenIdle: Promise<void> = Promise.resolve();
  #gone: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#spawnKey = options.spawnKey;
  }

  get state(): WorkerState {
    return this.#state.name;
  }

  get spawnKey(): string {
    return this.#spawnKey;
  }

  get familyKey(): string | undefined {
    return this.#options.familyKey;
  }

  /** The key of the options that the process received; undefined while it can receive any options. */
  get requestKey(): string | undefined {
    return this.#requestKey;
  }

  /** How many calls and sessions it has served, the current one included. */
  get jobs(): number {
    return this.#jobs;
  }

  get rssMb(): number | undefined {
    return this.#rssMb;
  }

  /** How long the process took from its start until it could answer; undefined before. */
  get readyMs(): number | undefined {
    return this.#readyMs;
  }

  get idleSince(): number {
    return this.#idleSince;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  get isIdle(): boolean {
    return IDLE.has(this.#state.name);
  }

  /** Whether a caller can have the process at once: it is idle, and known to answer. */
  get isReady(): boolean {
    return this.isIdle && this.#idleWatch?.check === undefined;
  }

  /** Whether the next caller can have it now, or soon without anything being done for that. */
  get isAvailableSoon(): boolean {
    const state = this.#state;
    if (state.name === "serving" || state.name === "resetting") return state.returns;
    return state.name !== "closing" && !this.isReserved;
  }

  /** Whether its reset is a trial, for which no caller waits, because the executable is in doubt. */
  get isOnTrial(): boolean {
    return this.#state.name === "resetting" && !this.#state.returns;
  }

  /** Resolves when the worker is idle and known to answer; rejects if it never will be. */
  get whenIdle(): Promise<void> {
    return this.#idleWatch?.check ?? this.#whenIdle;
  }

  /** Starts the process and makes it as ready as `preparation` says. */
  start(preparation: Preparation, requestKey: string | undefined, bootMs: number): Promise<void> {
    if (preparation === "initialized") this.#requestKey = requestKey;
    this.#whenIdle = this.#start(preparation, bootMs);
    this.#whenIdle.catch(() => {});
    return this.#whenIdle;
  }

  /** Asks the idle process whether it still answers, if it has not answered for too long. */
  checkIfStale(): void {
    this.#idleWatch?.checkIfStale();
  }

  /** Serves a request. The session is ready when this resolves, and no prompt was sent yet. */
  async serve(binding: Binding, request: LeaseRequest, timeouts: Timeouts): Promise<Session> {
    const process = this.#leaveIdle();
    const isTold = this.#requestKey !== undefined;
    const { signal, ...unsignalled } = request.options;
    const session = new Session({
      ...request,
      // The session of a call is ready at once if the process has its options, and the call then interrupts its
      // turns itself.
      options: isTold && request.purpose === "call" ? unsignalled : request.options,
      timeouts,
      warm: {
        ...this.#conversation,
        process,
        prepared: preparedFor(binding, request.options),
        late: isTold ? [] : this.#deferred(binding),
      },
    });
    this.#enter({ name: "serving", returns: binding.resets?.mayBeAwaited === true });
    this.#requestKey = binding.requestKey;
    this.#spawnKey = binding.spawnKey;
    this.#jobs += 1;
    const info = await session.initializationResult();
    this.#publishReady();
    this.#conversation = { ...this.#conversation, info };
    return session;
  }

  /** Resets the conversation of the session that it served, and detaches the process from that session. */
  recycle(session: Session, terms: RecyclingTerms): Promise<void> {
    this.#enter({ name: "resetting", returns: terms.resets.mayBeAwaited });
    this.isReserved = false;
    this.#whenIdle = this.#recycle(session, terms);
    this.#whenIdle.catch(() => {});
    return this.#whenIdle;
  }

  /** Ends the process; resolves when nothing of it is left. The first reason counts. */
  close(reason: DiscardReason, terms: ClosingTerms = {}): Promise<void> {
    if (this.#gone !== undefined) return this.#gone;
    this.#enter({ name: "closing" });
    this.#gone = this.#close(reason, terms);
    this.#options.owner.onClosing(this, reason, this.#gone);
    return this.#gone;
  }

  event(more: Partial<ProcessEvent> = {}): ProcessEvent {
    const { pool, id } = this.#options;
    return { at: eventTime(), pool, worker: id, pid: this.pid, jobs: this.#jobs, ...more };
  }

  async #start(preparation: Preparation, bootMs: number): Promise<void> {
    const { recipe, log } = this.#options;
    const sessionId = randomUUID();
    const prepared = spawnPlanOf(recipe, { sessionId, log, roams: this.familyKey !== undefined });
    const process = await spawnCli(prepared);
    this.#process = process;
    if (this.#isClosing) {
      await process.kill();
      throw new HawserError("closed");
    }
    this.#conversation = { sessionId };
    publish(CHANNELS.processStart, () => this.event());
    const running = { process, prepared };
    if (preparation === "primed") await prime(running, bootMs);
    if (preparation === "initialized") {
      const warm = { ...running, sessionId, late: recipe.late };
      const info = await preinitialize(recipe, warm, bootMs);
      this.#conversation = { sessionId, info };
    }
    this.#enterIdle(this.#requestKey === undefined ? "generic" : "initialized");
    if (preparation !== "spawned") this.#publishReady();
  }

  /** Publishes once that the process can answer. */
  #publishReady(): void {
    if (this.#readyMs !== undefined) return;
    const ms = performance.now() - this.startedAt;
    this.#readyMs = ms;
    publish(CHANNELS.processReady, () => this.event({ ms }));
  }

  #deferred({ late, cwd }: Binding): readonly HostRequest[] {
    if (this.#options.familyKey === undefined) return late;
    return [{ subtype: "claim_session", cwd }, ...late];
  }

  async #recycle(session: Session, terms: RecyclingTerms): Promise<void> {
    const began = performance.now();
    const reset = resetAndDetachProcess(session, RESET_MS);
    const { process, result } = await terms.resets.note(reset, () => this.#isClosing);
    if (process !== this.#process)
      throw new HawserError("protocol_error", "It is another process.");
    if (terms.countsAnew && result.total_cost_usd !== 0) void this.close("budget_not_reset");
    this.#keepConversation(result);
    this.#watchIdle(process);
    await this.#readRss(process);
    if (this.#rssMb !== undefined && this.#rssMb > terms.maxRssMb) void this.close("max_rss");
    if (this.#isClosing) throw new HawserError("closed");
    const ms = performance.now() - began;
    publish(CHANNELS.processReset, () => this.event({ ms }));
    this.#enterIdle("recycled");
    this.#options.owner.onRecycled();
  }

  #keepConversation(result: ResultMessage): void {
    const { info } = this.#conversation;
    this.#conversation = { info, sessionId: result.session_id, before: result };
  }

  #enterIdle(name: IdleState): void {
    const process = this.#process;
    if (this.#isClosing || process === undefined) throw new HawserError("closed");
    if (this.#idleWatch === undefined) this.#watchIdle(process);
    this.#enter({ name });
    this.#idleSince = performance.now();
  }

  async #readRss({ pid }: CliProcess): Promise<void> {
    const now = performance.now();
    if (pid === undefined || now - this.#rssReadAt < RSS_EVERY_MS) return;
    this.#rssReadAt = now;
    this.#rssMb = await rssMbOf(pid);
  }

  #watchIdle(process: CliProcess): void {
    const { recipe, log, trustedMs } = this.#options;
    const running = { process, prepared: { ...recipe.prepared, log } };
    this.#idleWatch = new IdleWatch(running, {
      // A process that has not received its options yet has to answer for them before the prompt.
      trustedMs: this.#requestKey === undefined ? Number.POSITIVE_INFINITY : trustedMs,
      onFault: (fault) => void this.close(fault),
    });
  }

  #leaveIdle(): CliProcess {
    const process = this.#process;
    const hasFault = this.#idleWatch?.detach();
    this.#idleWatch = undefined;
    if (process === undefined || this.#isClosing || hasFault === true) {
      throw new HawserError("process_exited", "The process was gone before it could be used.");
    }
    return process;
  }

  async #close(reason: DiscardReason, { detail, endSession }: ClosingTerms): Promise<void> {
    const settling = this.whenIdle.catch(() => {});
    this.#idleWatch?.detach();
    const fields = { pid: this.pid, reason, ...omitUndefined({ detail }) };
    this.#options.log.debug("a process is discarded", fields);
    publish(CHANNELS.processDiscarded, () => this.event({ reason, ...omitUndefined({ detail }) }));
    await endSession?.();
    await this.#process?.close();
    // A process that was still being started is killed by #start, so wait for that.
    await settling;
  }

  /** `closing` is final: the pool may close a worker while its call ends or its process gets ready. */
  #enter(state: State): void {
    if (!this.#isClosing) this.#state = state;
  }

  get #isClosing(): boolean {
    return this.#state.name === "closing";
  }
}

const IDLE: ReadonlySet<WorkerState> = new Set(["generic", "initialized", "recycled"]);

/** Time limit of a reset (observed: 5 to 40 ms). */
const RESET_MS = 10_000;

/** A process does not grow by much within this time. */
const RSS_EVERY_MS = 1_000;
