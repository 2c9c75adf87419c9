import { IS_LATE, type Lane, takeLateTags } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";

/** Runs of one call. */
const BATCH = 2_000;

/**
 * Gives the runs of a tenant that are far behind the clock of their queue tags at the clock, many at once: they all
 * stand before the runs of the others, and a claim comes past all of them while every other claim waits.
 */
export async function putBackToClock(
  { database, engine }: FleetParts,
  db: Queryable,
  lane: Lane,
): Promise<void> {
  const { schema } = database;
  const { queue, priority, tenant } = lane;
  const { rows: late } = await db.query<{ id: string; job_id: string | null }>(
    `select run.id, run.job_id from ${schema}.run
     join ${schema}.clock using (queue, priority) join ${schema}.lane using (queue, priority, tenant)
     where run.state = 'queued' and queue = $1 and priority = $2 and tenant = $3 and run.segment = 0
       and (run.start_after is null or run.start_after <= clock_timestamp()) and ${IS_LATE}
     order by run.tag, run.number limit ${BATCH} for update of run skip locked`,
    [queue, priority, tenant],
  );
  const tags = await takeLateTags(db, schema, lane, late.length);
  await db.query(
    `update ${schema}.run set tag = put.tag, is_put_back = true
     from unnest($1::uuid[], $2::bigint[]) as put(id, tag) where run.id = put.id`,
    [late.map(({ id }) => id), tags.map(({ tag }) => tag)],
  );
  const jobs = late.flatMap(({ job_id }, place) => {
    const rank = tags[place]?.rank;
    return job_id === null || rank === undefined ? [] : [{ id: job_id, rank }];
  });
  await engine.rerank(jobs, queue, db);
}
