import type { FleetParts } from "../engine/fleet-parts.js";

/**
 * Refreshes the planner's statistics of the tables that a claim reads, at most once a minute over the whole fleet.
 * Observed: with 20,000 jobs in a table that was never analysed a claim took 1.3 s, afterwards 2 ms.
 */
export async function refreshStatistics(
  { database, engine }: FleetParts,
  queue: string,
): Promise<void> {
  const { schema } = database;
  const { rowCount } = await database.query(
    `update ${schema}.clock set analyzed_at = clock_timestamp() where queue = $1
       and coalesce(analyzed_at, '-infinity') < clock_timestamp() - interval '1 minute'`,
    [queue],
  );
  if (rowCount === 0) return;
  await engine.analyze();
  await database.query(`analyze ${schema}.run, ${schema}.session, ${schema}.tenant`);
}
