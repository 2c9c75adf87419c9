import type { NotRecycled } from "./reset-records.js";
import { Samples } from "./samples.js";
import type { DiscardReason } from "./workers/discard-reason.js";
import type { Worker, WorkerState } from "./workers/worker.js";
import type { ProcessOrigin } from "./workers/worker-choice.js";

/** Of the newest 1,000; `undefined` while there are none. Milliseconds. */
export interface Percentiles {
  /** Of all that there were. */
  readonly count: number;
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
}

/** A pool at one moment. */
export interface PoolStats {
  /** How many there are in each state. */
  readonly processes: Readonly<Record<WorkerState, number>> & {
    /** Started since the pool was created. */
    readonly started: number;
    /** Resident memory of those whose memory is known, in MB: it is read after each call. */
    readonly rssMb: number;
    /** How many processes the pool has ended, by reason; a reason that never occurred is absent. */
    readonly discarded: Readonly<Partial<Record<DiscardReason, number>>>;
  };
  /** Executables whose processes serve one call each, though the options would permit more. */
  readonly notRecycled: readonly NotRecycled[];
  /** Calls and sessions; a call that is made anew counts again. */
  readonly calls: {
    readonly running: number;
    readonly queued: number;
    readonly succeeded: number;
    readonly failed: number;
    /** By a process that was started for it. */
    readonly cold: number;
    /** By one that was there. */
    readonly warm: number;
    /** The same by what kind it was. */
    readonly by: Readonly<Record<ProcessOrigin | "alone", number>>;
    /** How many may run at once now; less than `concurrency` after the API has refused some. */
    readonly limit: number;
  };
  /** From being asked for to being let in. */
  readonly queuedMs: Percentiles;
  /** From there to a process that is ready. */
  readonly bootMs: Percentiles;
  /** From there to the end. */
  readonly runMs: Percentiles;
  /** All three together. */
  readonly totalMs: Percentiles;
  /** Where a cost was not known, the dearest result seen stands for it. */
  readonly spentUsd: number;
  readonly spentUsdByTenant: Readonly<Record<string, number>>;
}

/** What has been served so far. */
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
