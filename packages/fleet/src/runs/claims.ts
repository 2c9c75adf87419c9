import type { Queryable } from "../database/database.js";
import type { Job } from "../engine/engine.js";
import type { Moment } from "./moment.js";
import type { RunEventBody, RunFailure, RunInfo, RunOutcome, ToolIntent } from "./run.js";

/** A run that this host may work on, as long as its claim holds. */
export interface Claim {
  readonly job: Job;
  readonly run: RunInfo;
  /** The epoch of the session: every write of this segment must name it. */
  readonly epoch: number;
  /** From 1. */
  readonly segment: number;
  readonly how: "new" | "recovered" | "answered" | "returned";
  /** Tool calls of earlier segments that were begun and never ended. */
  readonly uncertain: readonly ToolIntent[];
  /** The money of this segment; the least of what the run, the tenant and the budgets leave. */
  readonly budgetUsd: number | undefined;
  readonly account: string;
  /** A moment of this host that is not later than the begin of the lease. */
  readonly claimedAt: Moment;
}

/** The worker that wants a run. */
export interface Claimant {
  readonly host: string;
  readonly queues: readonly string[];
  /** Runs that this host could not start. They are for other workers, if there are any. */
  readonly unfitFor?: ReadonlySet<string>;
  /** Asked before each further attempt. False ends the search, because the worker does not want a run any more. */
  goesOn?(): boolean;
  /** The search was ended because it took long. There may be something to claim, so that the worker should ask again. */
  onUnfinished?(): void;
}

/** What the worker needs of the runs. Everything that writes is fenced by epoch and attempt: `lease_lost`. */
export interface Claims {
  /**
   * One transaction, one at a time over the fleet: limits are exact. Takes the session's lease, books the estimate
   * of a segment whose host died, reserves money, writes the event `started`. Runs that stand first in the queue and
   * cannot begin are ended or put off, one by one, for about a second at most.
   */
  claim(worker: Claimant): Promise<Claim | undefined>;
  /** Returns the claims that are still ours. Also renews the leases of their sessions. */
  touch(claims: readonly Claim[]): Promise<ReadonlySet<Claim>>;
  /** Whether the claim holds, asked of the database. */
  holds(claim: Claim): Promise<boolean>;
  /**
   * Adds events, in order, and returns the number of the last one. `repeatedAfter` is for another attempt after one
   * whose end is unknown: the number that the segment's last addition returned, or 0. The events are then added unless
   * the first attempt has done it.
   */
  addEvents(
    claim: Claim,
    events: readonly RunEventBody[],
    options?: { readonly repeatedAfter?: number | undefined },
  ): Promise<number>;
  /**
   * The tokens that the segment has used so far: what is booked if this host dies now. To be called before the CLI is
   * asked as well: a segment that was never metered made no request, and costs nothing.
   */
  meter(claim: Claim, usage: SegmentUsage): Promise<void>;
  /** Records the end of the segment: outcome, money, event, job, the next held run, in one transaction. */
  settle(claim: Claim, end: SegmentEnd): Promise<void>;
}

export interface SegmentUsage {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Requests to the model that the CLI began. */
  readonly requests: number;
}

/** How a segment ended. `costUsd` is undefined if the CLI did not say: then an estimate is booked. */
export type SegmentEnd = {
  readonly costUsd: number | undefined;
  readonly usage: SegmentUsage | undefined;
  readonly workedMs: number;
} & (
  | {
      readonly type: "done";
      readonly outcome: Pick<RunOutcome, "text" | "value" | "stop" | "usage">;
    }
  | { readonly type: "failed"; readonly error: RunFailure }
  | { readonly type: "cancelled"; readonly error: RunFailure }
  /**
   * The CLI died, or this host cannot run it. Counts like the death of a host: the run goes back to the queue until
   * its attempts are used up, and then fails with this error.
   */
  | {
      readonly type: "crashed";
      readonly error: RunFailure;
      /**
       * The host could not start the CLI at all, so that nothing was done. As long as a worker lives that has not tried
       * the run, it counts for nothing.
       */
      readonly isHostFault?: boolean;
    }
  /** Waits for a person, without a process. If the answer has come meanwhile, the run is queued at once. */
  | { readonly type: "parked"; readonly approval: string }
  /** Back to the queue: the worker drains, or the account is paused. */
  | {
      readonly type: "returned";
      readonly reason: string;
      readonly startAfterMs?: number;
      /** When the limit of the account ends, if the API has named a time. It is better than one by this host's clock. */
      readonly resetsAt?: Date;
    }
);

/** Runs `work` in the transaction that settles; used by approvals. */
export type InTransaction = <Value>(work: (db: Queryable) => Promise<Value>) => Promise<Value>;
