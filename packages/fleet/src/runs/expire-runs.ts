import type { FleetParts } from "../engine/fleet-parts.js";
import { expireRun } from "./cancel-run.js";

/** Runs of one sweep. */
const BATCH = 100;

/**
 * Ends the runs whose deadline has passed: those that wait at once, those that run by a request to their host, which
 * is made once. Workers call it every second; who waits for a run looks after its deadline as well.
 */
export async function expireDueRuns(parts: FleetParts): Promise<void> {
  const { database } = parts;
  const { rows } = await database.query<{ id: string }>(
    `select id from ${database.schema}.run
     where deadline <= clock_timestamp() and ended_at is null and cancel_requested_at is null
     order by deadline limit ${BATCH}`,
  );
  for (const { id } of rows) await expireRun(parts, id);
}
