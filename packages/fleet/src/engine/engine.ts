import type { Queryable } from "../database/database.js";

/**
 * Who gets which job, once: the only part that knows pg-boss. Everything takes the transaction of its caller, so
 * that the queue and the fleet's own rows never disagree.
 */
export interface Engine {
  /** Puts a job into the queue. Returns its id. */
  send(job: NewJob, db: Queryable): Promise<string>;
  /**
   * Whether a job of the queue waits and is due. Cheap, and without a transaction: a worker asks before it claims, because
   * a claim lets all other claims of the fleet wait, also if it finds nothing.
   */
  hasDue(queue: string): Promise<boolean>;
  /** Claims one job, or none. Groups in `blocked` and sessions with an active job are passed over. */
  claim(
    wanted: { readonly queue: string; readonly blocked: readonly string[] },
    db: Queryable,
  ): Promise<Job | undefined>;
  /** Says that the jobs are alive. Returns the ids of those that are still ours. */
  touch(jobs: readonly Job[], db?: Queryable): Promise<ReadonlySet<string>>;
  /** False if the claim is gone: somebody else has the job, or it has ended. */
  complete(job: Job, db: Queryable): Promise<boolean>;
  /** Gives a claimed job back to the queue at once, or after a delay. False if the claim is gone. */
  giveBack(job: Job, options: { readonly startAfterMs?: number }, db: Queryable): Promise<boolean>;
  /** Lets a job that waits wait for longer. */
  delay(job: Job, delayMs: number, db: Queryable): Promise<void>;
  /** Takes a job out of the queue, or away from its worker. */
  cancel(jobId: string, queue: string, db: Queryable): Promise<void>;
  /** Whether the claim still holds, asked of the database, with the row locked for the transaction. */
  holds(job: Job, db: Queryable): Promise<boolean>;
  /** Gives waiting and claimed jobs other ranks, all of them in one statement. Unknown ids are passed over. */
  rerank(
    jobs: readonly { readonly id: string; readonly rank: number }[],
    queue: string,
    db: Queryable,
  ): Promise<void>;
  /** Refreshes the planner's statistics of the job table. Without them a claim reads the whole queue. */
  analyze(): Promise<void>;
  /** Deletes the jobs that ended before this time. */
  prune(before: Date): Promise<void>;
  /** How many jobs wait and run, by queue. */
  counts(): Promise<ReadonlyMap<string, { readonly waiting: number; readonly active: number }>>;
  /** Gives jobs of silent hosts back to the queue. Workers call it every second or two; pg-boss lets one do it. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export interface NewJob {
  readonly queue: string;
  readonly run: string;
  /** One active job for each session. */
  readonly session: string;
  /** The tenant. */
  readonly group: string;
  /** Higher ones first. Made by the fair order. */
  readonly rank: number;
  readonly startAfter?: Date | undefined;
}

/** A claimed job. `attempt` is how many hosts had it before. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly run: string;
  readonly attempt: number;
}
