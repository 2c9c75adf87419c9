import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { claimAlone, claimRun } from "./claim-run.js";
import type { Claim, Claimant, Claims, SegmentUsage } from "./claims.js";
import { claimLost } from "./failures.js";
import { checkEpoch } from "./fence.js";
import { lockRun } from "./lock-run.js";
import { momentNow } from "./moment.js";
import { rebase } from "./rebase.js";
import { refreshStatistics } from "./refresh-statistics.js";
import type { RunEventBody } from "./run.js";
import { settleSegment } from "./settle-segment.js";
import { writeEvents } from "./write-events.js";

/** A claim that takes longer is a sign that the planner has no statistics of the queue. */
const SLOW_CLAIM_MS = 100;

/** After so long without an answer the heartbeat that a claim begins with is too old. */
const STALE_HEARTBEAT_MS = 500;

/** After this time a claim makes no further attempt, so that the worker can do something else between two claims. */
const LONGEST_SEARCH_MS = 1_000;

/** What a worker of this program does with runs. */
export function createClaims(parts: FleetParts): Claims {
  return new FleetClaims(parts);
}

class FleetClaims implements Claims {
  readonly #parts: FleetParts;
  /** Counts attempts, so that each of several queues is the first one in its turn. */
  #turn = 0;

  constructor(parts: FleetParts) {
    this.#parts = parts;
  }

  async claim(worker: Claimant): Promise<Claim | undefined> {
    const first = this.#turn++ % Math.max(1, worker.queues.length);
    const queues = [...worker.queues.slice(first), ...worker.queues.slice(0, first)];
    const until = performance.now() + LONGEST_SEARCH_MS;
    let isUnfinished = false;
    const mayTryAgain = () => {
      if (worker.goesOn?.() === false) return false;
      isUnfinished ||= performance.now() > until;
      return !isUnfinished;
    };
    for (const queue of queues) {
      const claim = await this.#claimFrom(queue, worker, mayTryAgain);
      if (claim !== undefined || worker.goesOn?.() === false) return claim;
    }
    if (isUnfinished) worker.onUnfinished?.();
    return undefined;
  }

  async touch(claims: readonly Claim[]): Promise<ReadonlySet<Claim>> {
    if (claims.length === 0) return new Set();
    const { database, engine, leaseMs } = this.#parts;
    const urgent = this.#urgent();
    const held = await engine.touch(
      claims.map(({ job }) => job),
      urgent,
    );
    const alive = claims.filter(({ job }) => held.has(job.id));
    // A segment that was settled meanwhile has freed its session, and the epoch is the same. A session that somebody
    // has locked is left for the next heartbeat: the others must not wait for it, and the lease of the job counts.
    const { schema } = database;
    const { rows } = await urgent.query<{ id: string }>(
      `with claimed as (select * from unnest($1::uuid[], $2::bigint[]) as claim(session, epoch)), free as (
         select session.id from ${schema}.session join claimed
           on session.id = claimed.session and session.epoch = claimed.epoch
         where session.holder is not null for no key update of session skip locked
       ), renewed as (
         update ${schema}.session set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
         from free where session.id = free.id
       )
       select session.id from ${schema}.session join claimed
         on session.id = claimed.session and session.epoch = claimed.epoch
       where session.holder is not null`,
      [alive.map(({ run }) => run.sessionId), alive.map(({ epoch }) => epoch), leaseMs],
    );
    const renewed = new Set(rows.map(({ id }) => id));
    return new Set(alive.filter(({ run }) => renewed.has(run.sessionId)));
  }

  async holds(claim: Claim): Promise<boolean> {
    const { database, engine } = this.#parts;
    const urgent = this.#urgent();
    if (!(await engine.holds(claim.job, urgent))) return false;
    const { rows } = await urgent.query(
      `select 1 from ${database.schema}.session where id = $1 and epoch = $2`,
      [claim.run.sessionId, claim.epoch],
    );
    return rows.length > 0;
  }

  /** A heartbeat is given up in time for another one within the lease. */
  #urgent(): Queryable {
    return this.#parts.database.urgent(this.#parts.leaseMs / 4);
  }

  async addEvents(
    claim: Claim,
    events: readonly RunEventBody[],
    { repeatedAfter }: { readonly repeatedAfter?: number | undefined } = {},
  ): Promise<number> {
    return await this.#parts.database.transaction(async (db) => {
      await checkEpoch(this.#parts, db, claim, "for share");
      const added =
        repeatedAfter === undefined
          ? undefined
          : await this.#findAdded(db, claim, events, repeatedAfter);
      return added ?? (await writeEvents(this.#parts, db, claim.run.id, events));
    });
  }

  /**
   * The last number, if the events were added by an attempt that did not hear of its success. A segment adds its events
   * one batch after the other, and nobody else adds events of these types.
   */
  async #findAdded(
    db: Queryable,
    claim: Claim,
    events: readonly RunEventBody[],
    after: number,
  ): Promise<number | undefined> {
    // Waits for the end of the first attempt, in case that it still commits.
    await lockRun(this.#parts, db, claim.run.id);
    const { schema } = this.#parts.database;
    const { rows } = await db.query<{ last: string | null }>(
      `select max(seq) as last from ${schema}.event where run_id = $1 and type = any($2::text[]) and seq > greatest($3,
         (select max(seq) from ${schema}.event where run_id = $1 and type = 'started'))`,
      [claim.run.id, events.map(({ type }) => type), after],
    );
    const last = rows[0]?.last ?? null;
    return last === null ? undefined : Number(last);
  }

  async meter(claim: Claim, usage: SegmentUsage): Promise<void> {
    const { database } = this.#parts;
    // The epoch of the session moves on only with the end of the segment, so that its row is the fence. The session is
    // not locked: the CLI is asked after the first write of its usage, and must not wait for others.
    const { rowCount } = await database.query(
      `update ${database.schema}.segment set usage = $4
       where run_id = $1 and segment = $2 and epoch = $3 and ended_at is null`,
      [claim.run.id, claim.segment, claim.epoch, JSON.stringify(usage)],
    );
    if (rowCount !== 1) throw claimLost(claim.run.id, claim.segment);
  }

  settle(claim: Claim, end: Parameters<Claims["settle"]>[1]): Promise<void> {
    return settleSegment(this.#parts, claim, end);
  }

  async #claimFrom(
    queue: string,
    worker: Claimant,
    mayTryAgain: () => boolean,
  ): Promise<Claim | undefined> {
    if (!(await this.#parts.engine.hasDue(queue))) return undefined;
    do {
      const beganAt = momentNow();
      let lockedAt = beganAt.monotonicMs;
      const attempt = await claimAlone(this.#parts, (db) => {
        lockedAt = performance.now();
        return claimRun(this.#parts, db, { ...worker, queue });
      });
      if (performance.now() - lockedAt > SLOW_CLAIM_MS) await this.#refreshStatistics(queue);
      if (attempt.type === "none") return undefined;
      if (attempt.type === "again") continue;
      const claim = { ...attempt.claim, claimedAt: beganAt };
      if (attempt.rebaseDue) await this.#rebase(claim);
      // The engine counts the heartbeat from the begin of the transaction, before it waited for its turn.
      if (performance.now() - beganAt.monotonicMs <= STALE_HEARTBEAT_MS) return claim;
      const renewed = { ...claim, claimedAt: momentNow() };
      if ((await this.touch([renewed])).size > 0) return renewed;
    } while (mayTryAgain());
    return undefined;
  }

  async #refreshStatistics(queue: string): Promise<void> {
    try {
      await refreshStatistics(this.#parts, queue);
    } catch (error) {
      this.#parts.logger?.warn("The statistics of the queue were not refreshed.", { error });
    }
  }

  async #rebase(claim: Claim): Promise<void> {
    try {
      await rebase(this.#parts, claim.run);
    } catch (error) {
      // The claim stands. Another one tries again: there is room for hundreds of thousands of runs.
      this.#parts.logger?.warn("The ranks of the queue were not rebased.", { error });
    }
  }
}
