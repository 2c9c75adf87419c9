import { takeTag } from "../accounting/fair-order.js";
import { uncountRun } from "../accounting/ledger.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { lockRanksAndQueue, lockRun } from "./lock-run.js";
import { checkRunId, runNotFound } from "./run-not-found.js";
import { sendJob } from "./send-job.js";
import { writeEvents } from "./write-events.js";

/**
 * Puts a failed run back into the queue, or behind the run that its session has now. The run continues its session
 * and keeps its cost; it may lose as many hosts as at first, and a deadline that has passed does not count again.
 */
export async function retryRun(parts: FleetParts, id: string): Promise<boolean> {
  checkRunId(id);
  const { database } = parts;
  const { schema } = database;
  const { rows } = await database.query<{ session_id: string }>(
    `select session_id from ${schema}.run where id = $1`,
    [id],
  );
  const session = rows[0]?.session_id;
  if (session === undefined) throw runNotFound(id);
  return await database.transaction(async (db) => {
    await lockRanksAndQueue(parts, db, session);
    const run = await lockRun(parts, db, id);
    if (run === undefined) throw runNotFound(id);
    if (run.state !== "failed") return false;
    const { rows: others } = await db.query(
      `select 1 from ${schema}.run where session_id = $1 and ended_at is null limit 1`,
      [session],
    );
    const state = others.length === 0 ? "queued" : "held";
    const { tag, rank } = await takeTag(db, schema, run);
    const { rows: last } = await db.query<{ end: string | null }>(
      `select "end" from ${schema}.segment where run_id = $1 order by segment desc limit 1`,
      [id],
    );
    // A run that never began was not counted.
    if (run.segment > 0) await uncountRun(db, schema, id);
    await db.query(
      `update ${schema}.run set state = $2, tag = $3, next_how = $4, deaths = 0, error = null, ended_at = null,
         cancel_requested_at = null, cancel_reason = null, worked_ms = 0,
         start_after = null, deadline = case when deadline > clock_timestamp() then deadline end
       where id = $1`,
      [id, state, tag, howAfter(last[0]?.end)],
    );
    await writeEvents(parts, db, id, [{ type: state }]);
    if (state === "queued") await sendJob(parts, db, { ...run, start_after: null }, rank);
    return true;
  });
}

/** How the segment after the last one begins. */
function howAfter(end: string | null | undefined): "new" | "recovered" | "returned" {
  if (end === undefined) return "new";
  return end === "lost" ? "recovered" : "returned";
}
