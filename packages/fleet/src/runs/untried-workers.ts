import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunRow } from "./run-row.js";

/**
 * Whether another worker lives that serves the queue of a run and has not failed with it. A worker writes its row every
 * five seconds.
 */
export async function hasUntriedWorker(
  { database }: FleetParts,
  db: Queryable,
  { id, queue }: Pick<RunRow, "id" | "queue">,
  host: string,
): Promise<boolean> {
  const { schema } = database;
  const { rows } = await db.query(
    `select 1 from ${schema}.host where name <> $3 and not draining and $2 = any(string_to_array(queues, ','))
       and seen_at > clock_timestamp() - interval '15 seconds'
       and not exists (select 1 from ${schema}.segment
         where segment.run_id = $1 and segment.host = host.name and segment."end" = 'lost')
     limit 1`,
    [id, queue, host],
  );
  return rows.length > 0;
}
