import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunState } from "./run.js";

/** How many runs there are in each state. */
export async function countRuns({ database }: FleetParts): Promise<Record<RunState, number>> {
  const { rows } = await database.query<{ state: RunState; count: string }>(
    `select state, count(*) as count from ${database.schema}.run group by state`,
  );
  const counts = { queued: 0, held: 0, running: 0, waiting: 0, done: 0, failed: 0, cancelled: 0 };
  for (const { state, count } of rows) counts[state] = Number(count);
  return counts;
}
