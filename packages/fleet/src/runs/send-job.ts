import { firstRank, rankOf, readBase } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunRow } from "./run-row.js";
import { writeEvents } from "./write-events.js";

/** Puts a run that is `queued` into the engine's queue, and wakes the workers. */
export async function sendJob(
  { database, engine }: FleetParts,
  db: Queryable,
  run: Pick<RunRow, "id" | "queue" | "session_id" | "tenant" | "start_after">,
  rank: number,
): Promise<void> {
  const job = await engine.send(
    {
      queue: run.queue,
      run: run.id,
      session: run.session_id,
      group: run.tenant,
      rank,
      startAfter: run.start_after ?? undefined,
    },
    db,
  );
  await db.query(`update ${database.schema}.run set job_id = $2 where id = $1`, [run.id, job]);
  await database.notify(db, "wake");
}

/**
 * Queues the next segment of a run that waited for a person, in the transaction of the answer. False unless the run
 * is `waiting`. The caller has locked the run by `lockRun()`, before it changed the approval.
 */
export async function queueAnswered(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
): Promise<boolean> {
  if (run.state !== "waiting") return false;
  await db.query(
    `update ${parts.database.schema}.run set state = 'queued', next_how = 'answered' where id = $1`,
    [run.id],
  );
  await sendJob(parts, db, { ...run, start_after: null }, firstRank(run.priority));
  await writeEvents(parts, db, run.id, [{ type: "queued" }]);
  return true;
}

/**
 * Queues the oldest run that is held in a session, after the run before it was settled in the same transaction.
 * The run keeps the tag of its submission, so that no lane must be locked. The caller has called `keepRanks()` and
 * locked the session's queue.
 */
export async function queueNextHeld(
  parts: FleetParts,
  db: Queryable,
  session: string,
): Promise<void> {
  const { schema } = parts.database;
  const { rows } = await db.query<RunRow>(
    `update ${schema}.run set state = 'queued' where id = (
       select id from ${schema}.run where session_id = $1 and state = 'held' order by number limit 1
     ) returning *`,
    [session],
  );
  const [next] = rows;
  if (next === undefined) return;
  const rank = rankOf(next.priority, Number(next.tag), await readBase(db, schema, next));
  await sendJob(parts, db, next, rank);
  await writeEvents(parts, db, next.id, [{ type: "queued" }]);
}
