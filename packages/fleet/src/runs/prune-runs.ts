import { invalidOption } from "../accounting/invalid-option.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";

/** Runs of one transaction. */
const BATCH = 500;

/**
 * Deletes the runs that were settled before `olderThan`, with all that belongs to them: segments, events, questions,
 * intents, charges, their jobs, and their sessions that no other run uses and that were not used since. What the
 * tenants have spent stays.
 */
export async function pruneRuns(
  { database, engine }: FleetParts,
  { olderThan }: { readonly olderThan: Date },
): Promise<number> {
  if (!(olderThan instanceof Date) || Number.isNaN(olderThan.getTime())) {
    throw invalidOption("olderThan", "is not a valid Date", "Give a Date.");
  }
  const { schema } = database;
  let pruned = 0;
  for (;;) {
    const deleted = await database.transaction(async (db) => {
      const sessions = await deleteRuns(db, schema, olderThan);
      await deleteSessions(db, schema, { sessions, olderThan });
      return sessions.length;
    });
    pruned += deleted;
    if (deleted < BATCH) break;
  }
  // Lanes that the clock has passed say nothing: their tenants begin at the clock. Those of runs that wait are needed
  // to put these back to the clock.
  await database.query(
    `delete from ${schema}.lane using ${schema}.clock
     where lane.queue = clock.queue and lane.priority = clock.priority and greatest(lane.tag, lane.late) <= clock.v
       and not exists (
         select 1 from ${schema}.run
         where run.state = 'queued' and run.queue = lane.queue and run.tenant = lane.tenant)
       and not exists (
         select 1 from ${schema}.run
         where run.state = 'held' and run.queue = lane.queue and run.tenant = lane.tenant)`,
  );
  await engine.prune(olderThan);
  return pruned;
}

/** Deletes a batch of runs with all that belongs to them alone. Returns their sessions, one for each run. */
async function deleteRuns(db: Queryable, schema: string, olderThan: Date): Promise<string[]> {
  const { rows } = await db.query<{ session_id: string }>(
    `with run as (
       delete from ${schema}.run where id in (
         select id from ${schema}.run where ended_at < $1 order by ended_at limit ${BATCH} for update skip locked
       ) returning id, session_id
     ), segment as (
       delete from ${schema}.segment where run_id in (select id from run)
     ), event as (
       delete from ${schema}.event where run_id in (select id from run)
     ), intent as (
       delete from ${schema}.intent where run_id in (select id from run)
     ), charge as (
       delete from ${schema}.charge where run_id in (select id from run)
     )
     select session_id from run`,
    [olderThan],
  );
  return rows.map(({ session_id }) => session_id);
}

/**
 * Deletes those of the sessions that nobody uses. They are locked before it is asked who uses them: a transaction that
 * submits a run to a session holds the session's row, and its run cannot be seen before it commits. Such a session
 * stays, and goes with that run.
 */
async function deleteSessions(
  db: Queryable,
  schema: string,
  { sessions, olderThan }: { readonly sessions: readonly string[]; readonly olderThan: Date },
): Promise<void> {
  if (sessions.length === 0) return;
  const { rows } = await db.query<{ id: string }>(
    `select id from ${schema}.session
     where id = any($1::uuid[]) and coalesce(mtime, created_at) < $2
       and (expires_at is null or expires_at <= clock_timestamp())
     for update skip locked`,
    [sessions, olderThan],
  );
  await db.query(
    `delete from ${schema}.session where id = any($1::uuid[])
       and not exists (
         select 1 from ${schema}.run where run.session_id = session.id or run.fork_of = session.id)
       and not exists (select 1 from ${schema}.conversation where conversation.session_id = session.id)`,
    [rows.map(({ id }) => id)],
  );
}
