import type { NotRecycled } from "./reset-records.js";
import { type Percentiles, Samples } from "./samples.js";
import type { DiscardReason } from "./workers/discard-reason.js";
import type { Worker, WorkerState } from "./workers/worker.js";
import type { ProcessOrigin } from "./workers/worker-choice.js";

/** The state of a pool at one moment. */
export interface PoolStats {
  /** How many processes there are in each state. */
  readonly processes: Readonly<Record<WorkerState, number>> & {
    /** Started since the pool was created. */
    readonly started: number;
    /**
     * Resident memory of the processes, in MB. It is read after a reset; a process before its first counts
     * as 0.
     */
    readonly rssMb: number;
    /** How many processes the pool has ended, by reason; a reason that never occurred is absent. */
    readonly discarded: Readonly<Partial<Record<DiscardReason, number>>>;
  };
  /** Executables whose processes serve only one call each, although the options would permit more. */
  readonly notRecycled: readonly NotRecycled[];
  /** Calls and sessions. A retried call counts once for each attempt. */
  readonly calls: {
    readonly running: number;
    readonly queued: number;
    readonly succeeded: number;
    readonly failed: number;
    /** Calls whose process was started for them. */
    readonly cold: number;
    /** Calls that got a process that was running. */
    readonly warm: number;
    /** Calls by the origin of their process; `alone`: the process is not shared with other calls. */
    readonly by: Readonly<Record<ProcessOrigin | "alone", number>>;
    /** How many calls may run at once now; less than `concurrency` after the API has refused some. */
    readonly limit: number;
  };
  /** How many calls and sessions of each tenant wait now. Those without a tenant count only in `calls.queued`. */
  readonly queuedByTenant: Readonly<Record<string, number>>;
  /** Time in the queue: from the request until the call or session was admitted. */
  readonly queuedMs: Percentiles;
  /** From the admission until a process was ready. */
  readonly bootMs: Percentiles;
  /** From the ready process to the end of the call or session. */
  readonly runMs: Percentiles;
  /** The sum of `queuedMs`, `bootMs` and `runMs`. */
  readonly totalMs: Percentiles;
  /** The cost of all calls in US dollars. A result of unknown cost counts as the dearest result so far. */
  readonly spentUsd: number;
  /** The cost of the calls of each tenant. */
  readonly spentUsdByTenant: Readonly<Record<string, number>>;
}

/** Counts and times of all calls so far. */
export class CallHistory {
  readonly queuedMs: Samples = new Samples();
  readonly bootMs: Samples = new Samples();
  readonly runMs: Samples = new Samples();
  readonly totalMs: Samples = new Samples();
  readonly by: Record<ProcessOrigin | "alone", number> = {
    recycled: 0,
    initialized: 0,
    generic: 0,
    cold: 0,
    alone: 0,
  };
  succeeded = 0;
  failed = 0;
}

export function countStates(workers: Iterable<Worker>): PoolStats["processes"] {
  const counts = {
    starting: 0,
    generic: 0,
    initialized: 0,
    recycled: 0,
    serving: 0,
    resetting: 0,
    closing: 0,
    started: 0,
    rssMb: 0,
    discarded: {},
  };
  for (const worker of workers) {
    counts[worker.state] += 1;
    if (worker.state !== "closing") counts.rssMb += worker.rssMb ?? 0;
  }
  return counts;
}
