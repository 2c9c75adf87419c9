import { type HawserError, omitUndefined } from "../base/index.js";
import { type Session, type SessionLease, type SessionWatcher, spentOn } from "../session/index.js";
import type { ResultMessage } from "../wire/index.js";
import type { Slot } from "./admission/admission.js";
import type { Binding } from "./binding.js";
import type { PoolSettings } from "./options.js";
import type { CallHistory } from "./stats.js";
import type { DiscardReason } from "./workers/discard-reason.js";
import type { Worker } from "./workers/worker.js";
import type { ProcessOrigin } from "./workers/worker-set.js";

/** What one that is served costs, and whether it has made its process useless for others. */
export class LeaseAccount {
  readonly #slot: Slot;
  /** Of the session that is served; those before it came to nothing. */
  #watcher: SessionWatcher | undefined;
  #isOver = false;
  #onOver: () => void = () => {};
  #spentBudget = false;
  #hasResult = false;

  constructor(slot: Slot) {
    this.#slot = slot;
  }

  /** Whether the CLI stopped because its budget was spent: an older one never goes on. */
  get spentBudget(): boolean {
    return this.#spentBudget;
  }

  /** Has this called when the session is over, whoever has ended it, also if it is already. */
  whenOver(listener: () => void): void {
    this.#onOver = listener;
    if (this.#isOver) listener();
  }

  /** For one more session, in place of the one before. */
  watch(): SessionWatcher {
    const watcher: SessionWatcher = {
      onResult: (result) => this.#add(result),
      onOver: () => {
        if (this.#watcher !== watcher) return;
        this.#isOver = true;
        this.#onOver();
      },
    };
    this.#watcher = watcher;
    this.#isOver = false;
    return watcher;
  }

  #add(result: ResultMessage): void {
    this.#hasResult = true;
    if (result.subtype === "error_max_budget_usd") this.#spentBudget = true;
    this.#slot.charge.add(spentOn(result).costUsd);
  }

  /** A failure without a result may have cost something, if the model was asked at all. */
  settle(failure: HawserError | undefined): void {
    const begun = this.#hasResult || failure?.lastMessage !== undefined;
    this.#slot.charge.settle(begun && failure !== undefined && failure.result === undefined);
    this.#slot.release(failure);
  }
}

/** One who is served by a session, which is held only as long as it is a call's. */
export interface Held {
  deref(): Session | undefined;
}

export interface LeaseParts {
  readonly held: Held;
  /** Undefined for one that was started for this request alone, outside of the crew. */
  readonly worker: Worker | undefined;
  readonly how: ProcessOrigin | "alone";
  readonly slot: Slot;
  readonly tab: LeaseAccount;
  readonly binding: Binding;
  readonly settings: PoolSettings;
  readonly history: CallHistory;
  /** When the process was asked for. */
  readonly admittedAt: number;
  readonly onReleased: () => void;
}

/** How a session of a pool was got, and how it is given back. */
export function leaseOf(parts: LeaseParts): Omit<SessionLease, "session"> {
  const { slot, history, how, admittedAt } = parts;
  const readyAt = performance.now();
  const bootMs = readyAt - admittedAt;
  history.by[how] += 1;
  history.queuedMs.add(slot.queuedMs);
  history.bootMs.add(bootMs);
  let released: Promise<void> | undefined;
  return {
    queuedMs: slot.queuedMs,
    bootMs,
    isReplaceable: true,
    isHandedOn: parts.binding.resets?.mayTry === true,
    release: (failure) => {
      released ??= release(parts, readyAt, failure);
      return released;
    },
  };
}

async function release(
  parts: LeaseParts,
  readyAt: number,
  failure: HawserError | undefined,
): Promise<void> {
  const { tab, slot, history, admittedAt, onReleased } = parts;
  const now = performance.now();
  history[failure === undefined ? "succeeded" : "failed"] += 1;
  history.runMs.add(now - readyAt);
  history.totalMs.add(slot.queuedMs + now - admittedAt);
  const gone = letGo(parts, failure);
  // The next one may come for the same process at once.
  tab.settle(failure);
  onReleased();
  await gone;
}

function letGo(parts: LeaseParts, failure: HawserError | undefined): Promise<void> | undefined {
  const { held, worker, binding, settings } = parts;
  const session = held.deref();
  if (worker === undefined) return session?.close();
  const reason = whyNotHandedOn(parts, failure);
  const { resets } = binding;
  if (reason !== undefined || session === undefined || resets === undefined) {
    return worker.close(reason ?? "session_forgotten", {
      session: async () => session?.close(),
      ...omitUndefined({ detail: reason === "call_failed" ? failure?.code : undefined }),
    });
  }
  const countsAnew = binding.hasBudget;
  worker
    .recycle(session, { maxRssMb: settings.maxRssMb, countsAnew, resets })
    .catch((error: HawserError) => {
      const detail = error.code === "protocol_error" ? error.message : error.code;
      void worker.close("reset_failed", { detail, session: () => session.kill() });
    });
  return undefined;
}

function whyNotHandedOn(
  { worker, binding, settings, tab }: LeaseParts,
  failure: HawserError | undefined,
): DiscardReason | undefined {
  if (binding.resets?.mayTry !== true) return "not_recyclable";
  // With a result, the process has come to the end of the turn by itself; else it was asked to.
  const isWhole = failure?.result !== undefined || LEAVES_WHOLE.has(failure?.code);
  if (failure !== undefined && !isWhole) return "call_failed";
  if (tab.spentBudget) return "budget_spent";
  if (worker === undefined || worker.jobs >= settings.maxJobs) return "max_jobs";
  const ageMs = performance.now() - worker.startedAt;
  return ageMs > settings.maxAgeMs ? "max_age" : undefined;
}

/** After these it has stopped when it was told to, or its reset will show that it has not. */
const LEAVES_WHOLE: ReadonlySet<string | undefined> = new Set(["aborted", "timeout"]);
