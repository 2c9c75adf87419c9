import type { FleetParts } from "../engine/fleet-parts.js";
import { endUnheard, expireRun } from "./cancel-run.js";
import { findLostRequests } from "./close-lost.js";

/** Runs of one sweep. */
const BATCH = 100;

/**
 * Ends the runs whose deadline has passed: those that wait at once, those that run by a request to their host, which
 * is made once. A run whose host did not live to obey such a request is ended as well, whoever made it. Workers call it every second; who waits for a run looks after its deadline as well.
 */
export async function expireDueRuns(parts: FleetParts): Promise<void> {
  const { database } = parts;
  const { rows } = await database.query<{ id: string }>(
    `select id from ${database.schema}.run
     where deadline <= clock_timestamp() and ended_at is null and cancel_requested_at is null
     order by deadline limit ${BATCH}`,
  );
  for (const { id } of rows) await expireRun(parts, id);
  for (const id of await findLostRequests(parts, BATCH)) await endUnheard(parts, id);
}
