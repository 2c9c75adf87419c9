import { HawserError, type Logger } from "hawser";
import type { PgBoss } from "pg-boss";
import type { Database, Queryable } from "../database/database.js";
import type { BossDatabase } from "./boss-database.js";
import type { Engine, Job, NewJob } from "./engine.js";
import { isQueueName, QUEUE_NAME_HINT } from "./queue-name.js";
import { stopBoss } from "./stop-boss.js";

/**
 * pg-boss's own limits are not for agents: it would fail a job that runs for more than a day, delete one that waits
 * for two weeks, and give up after two retries. Here the run decides. The largest integer of Postgres means never.
 */
const NEVER = 2_147_483_647;

/** Ended jobs are kept so long for a look at them. What came of a run is in its own row. */
const KEEP_ENDED_SECONDS = 86_400;

/**
 * A job without a delay may be claimed a minute before it was sent: the clock of a transaction stands still, and a
 * claim whose transaction waited for its turn would otherwise not see a job that was sent meanwhile.
 */
const AT_ONCE = "-1 minute";

/** The most jobs of silent hosts that one transaction gives back. */
const RECOVERY_BATCH = 500;

export interface BossEngineParts {
  readonly boss: PgBoss;
  readonly connection: BossDatabase;
  readonly database: Database;
  /** The schema of pg-boss, quoted for SQL. */
  readonly schema: string;
  readonly leaseSeconds: number;
  /** How often this program asks pg-boss to look after its tables. */
  readonly maintenanceMs: number;
  readonly logger: Logger | undefined;
}

/** The engine on pg-boss. It claims with `fetch()`: see fleet.md on why `work()` is too slow and takes no transaction. */
export class BossEngine implements Engine {
  readonly #parts: BossEngineParts;
  /** Queues whose rows are committed. */
  readonly #queues = new Set<string>();
  #maintainedAt: number = performance.now();
  #maintenance: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: BossEngineParts) {
    this.#parts = parts;
  }

  async send(job: NewJob, db: Queryable): Promise<string> {
    const { boss, connection, leaseSeconds } = this.#parts;
    return connection.within(db, async () => {
      await this.#ensureQueue(job.queue, db);
      const id = await boss.send(
        job.queue,
        { run: job.run },
        {
          singletonKey: job.session,
          group: { id: job.group },
          priority: job.rank,
          startAfter: job.startAfter ?? AT_ONCE,
          heartbeatSeconds: leaseSeconds,
        },
      );
      // pg-boss gives no id if a unique index refused the job. The policy `singleton` has none on waiting jobs.
      if (id === null) throw new Error(`The queue took no job for the run ${job.run}.`);
      return id;
    });
  }

  async hasDue(queue: string): Promise<boolean> {
    const { database, schema } = this.#parts;
    const { rows } = await database.query<{ found: boolean }>(
      `select exists (
         select 1 from ${schema}.job where name = $1 and state < 'active' and start_after <= clock_timestamp()
       ) as found`,
      [queue],
    );
    return rows[0]?.found === true;
  }

  async claim(
    wanted: { readonly queue: string; readonly blocked: readonly string[] },
    db: Queryable,
  ): Promise<Job | undefined> {
    const { boss, connection, leaseSeconds } = this.#parts;
    return connection.within(db, async () => {
      await this.#ensureQueue(wanted.queue, db);
      const [found] = await boss.fetch<{ run: string }>(wanted.queue, {
        batchSize: 1,
        ...(wanted.blocked.length > 0 ? { ignoreGroups: [...wanted.blocked] } : {}),
      });
      if (found === undefined) return undefined;
      const job = {
        id: found.id,
        queue: wanted.queue,
        run: found.data.run,
        attempt: found.retryCount,
      };
      // The program that sent the job may have another lease. That of the claim counts, because the worker ends its
      // CLIs by it.
      if (found.heartbeatSeconds !== leaseSeconds) await this.#setLease(job, db);
      return job;
    });
  }

  async touch(
    jobs: readonly Job[],
    db: Queryable = this.#parts.database,
  ): Promise<ReadonlySet<string>> {
    const { boss, connection } = this.#parts;
    const answers = await connection.within(db, () =>
      Promise.all(
        [...byQueue(jobs)].map(([queue, claimed]) => boss.touch(queue, claimed.map(attemptOf))),
      ),
    );
    return new Set(answers.flatMap((answer) => countsOf(answer).settled));
  }

  async complete(job: Job, db: Queryable): Promise<boolean> {
    const { boss, connection } = this.#parts;
    return connection.within(db, async () => {
      return countsOf(await boss.complete(job.queue, attemptOf(job))).affected === 1;
    });
  }

  async giveBack(
    job: Job,
    options: { readonly startAfterMs?: number },
    db: Queryable,
  ): Promise<boolean> {
    const { boss, connection, schema } = this.#parts;
    return connection.within(db, async () => {
      const answer = await boss.fail(job.queue, attemptOf(job), { message: "given back" });
      if (countsOf(answer).affected !== 1) return false;
      if (options.startAfterMs !== undefined && options.startAfterMs > 0) {
        await db.query(
          `update ${schema}.job set start_after = clock_timestamp() + $3 * interval '1 millisecond'
           where name = $1 and id = $2 and state = 'retry'`,
          [job.queue, job.id, options.startAfterMs],
        );
      }
      return true;
    });
  }

  async delay(job: Job, delayMs: number, db: Queryable): Promise<void> {
    await db.query(
      `update ${this.#parts.schema}.job set start_after = clock_timestamp() + $3 * interval '1 millisecond'
       where name = $1 and id = $2 and state < 'active'`,
      [job.queue, job.id, delayMs],
    );
  }

  async cancel(jobId: string, queue: string, db: Queryable): Promise<void> {
    const { boss, connection } = this.#parts;
    await connection.within(db, async () => {
      await this.#ensureQueue(queue, db);
      await boss.cancel(queue, jobId);
    });
  }

  async holds(job: Job, db: Queryable): Promise<boolean> {
    const { rows } = await db.query(
      `select 1 from ${this.#parts.schema}.job
       where name = $1 and id = $2 and state = 'active' and retry_count = $3 for update`,
      [job.queue, job.id, job.attempt],
    );
    return rows.length === 1;
  }

  async rerank(
    jobs: readonly { readonly id: string; readonly rank: number }[],
    queue: string,
    db: Queryable,
  ): Promise<void> {
    if (jobs.length === 0) return;
    await db.query(
      `update ${this.#parts.schema}.job j set priority = wanted.rank
       from unnest($2::uuid[], $3::integer[]) as wanted (id, rank)
       where j.name = $1 and j.id = wanted.id and j.state <= 'active'`,
      [queue, jobs.map(({ id }) => id), jobs.map(({ rank }) => rank)],
    );
  }

  async analyze(): Promise<void> {
    const { database, schema } = this.#parts;
    await database.query(`analyze ${schema}.job`);
  }

  async prune(before: Date): Promise<void> {
    const { database, schema } = this.#parts;
    await database.query(
      `delete from ${schema}.job where completed_on < $1 and state in ('completed', 'cancelled', 'failed')`,
      [before],
    );
  }

  async counts(): Promise<
    ReadonlyMap<string, { readonly waiting: number; readonly active: number }>
  > {
    const { database, schema } = this.#parts;
    const { rows } = await database.query<{ name: string; waiting: number; active: number }>(
      `select q.name,
         count(j.id) filter (where j.state < 'active')::int as waiting,
         count(j.id) filter (where j.state = 'active')::int as active
       from ${schema}.queue q
       left join ${schema}.job j on j.name = q.name and j.state <= 'active'
       group by q.name order by q.name`,
    );
    return new Map(rows.map(({ name, waiting, active }) => [name, { waiting, active }]));
  }

  async recover(): Promise<void> {
    this.#maintainIfDue();
    // Most of the time no host is silent: one statement is enough to know it.
    const silent = await this.#findSilent(this.#parts.database, "");
    if (silent.length === 0) return;
    const { database } = this.#parts;
    await database.transaction(async (db) => {
      // Two programs may find the same jobs. The second passes over what the first has locked.
      const locked = await this.#findSilent(db, "for update skip locked");
      if (locked.length === 0) return;
      await this.#giveBackAll(locked, db);
      await database.notify(db, "wake");
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await stopBoss(this.#parts.boss, this.#maintenance);
  }

  /** Jobs whose host has said nothing for longer than the lease. All jobs have a group, and there is an index on it. */
  async #findSilent(db: Queryable, lock: string): Promise<Job[]> {
    const { rows } = await db.query<Job>(
      `select id, name as queue, data->>'run' as run, retry_count as attempt
       from ${this.#parts.schema}.job
       where state = 'active' and group_id is not null
         and heartbeat_on + heartbeat_seconds * interval '1 second' < clock_timestamp()
       order by heartbeat_on limit ${RECOVERY_BATCH} ${lock}`,
    );
    return rows;
  }

  async #giveBackAll(jobs: readonly Job[], db: Queryable): Promise<void> {
    const { boss, connection } = this.#parts;
    await connection.within(db, async () => {
      for (const [queue, lost] of byQueue(jobs)) {
        await boss.fail(queue, lost.map(attemptOf), { message: "The host is silent." });
      }
    });
  }

  /** pg-boss deletes ended jobs and looks after its indexes. One program of the fleet does it at a time. */
  #maintainIfDue(): void {
    const { boss, maintenanceMs, logger } = this.#parts;
    if (this.#isClosed || performance.now() - this.#maintainedAt < maintenanceMs) return;
    this.#maintainedAt = performance.now();
    this.#maintenance = boss.supervise().catch((error: unknown) => {
      logger?.warn("The maintenance of the queue failed.", { error });
    });
  }

  async #setLease(job: Job, db: Queryable): Promise<void> {
    await db.query(
      `update ${this.#parts.schema}.job set heartbeat_seconds = $3 where name = $1 and id = $2`,
      [job.queue, job.id, this.#parts.leaseSeconds],
    );
  }

  /**
   * Makes the queue if it is missing, in the transaction of the caller. pg-boss's createQueue() would end that
   * transaction, and refuses limits of more than a day.
   */
  async #ensureQueue(queue: string, db: Queryable): Promise<void> {
    if (this.#queues.has(queue)) return;
    if (!isQueueName(queue)) {
      throw new HawserError("invalid_options", `"${queue}" is not a name for a queue.`, {
        hint: QUEUE_NAME_HINT,
      });
    }
    const { schema } = this.#parts;
    const { rows } = await db.query<{ isOwn: boolean }>(
      `select coalesce(xmin::text = pg_current_xact_id_if_assigned()::xid::text, false) as "isOwn"
       from ${schema}.queue where name = $1`,
      [queue],
    );
    const [found] = rows;
    if (found === undefined) {
      await db.query(`select ${schema}.create_queue($1, $2::jsonb)`, [queue, this.#queueOptions()]);
      // It exists for others when the caller commits, and not at all if the caller rolls back.
    } else if (!found.isOwn) this.#queues.add(queue);
  }

  #queueOptions(): string {
    return JSON.stringify({
      policy: "singleton",
      retryLimit: NEVER,
      retryDelay: 0,
      expireInSeconds: NEVER,
      retentionSeconds: NEVER,
      deleteAfterSeconds: KEEP_ENDED_SECONDS,
      heartbeatSeconds: this.#parts.leaseSeconds,
    });
  }
}

/** What pg-boss calls an attempt: it leaves a job alone that somebody else has claimed since. */
function attemptOf(job: Job): { id: string; retryCount: number } {
  return { id: job.id, retryCount: job.attempt };
}

/** The fields are part of pg-boss's documentation, but not of its types. */
function countsOf(answer: object): { affected: number; settled: string[] } {
  const { affected, settled } = answer as { affected?: number; settled?: string[] };
  if (affected === undefined || settled === undefined) {
    throw new TypeError("pg-boss did not say which jobs it has changed.");
  }
  return { affected, settled };
}

function byQueue(jobs: readonly Job[]): Map<string, Job[]> {
  const queues = new Map<string, Job[]>();
  for (const job of jobs) {
    const same = queues.get(job.queue);
    if (same === undefined) queues.set(job.queue, [job]);
    else same.push(job);
  }
  return queues;
}
