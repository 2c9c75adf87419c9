import { moveBase, rankOf } from "../accounting/fair-order.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { claimAlone } from "./claim-run.js";
import type { RunInfo } from "./run.js";
import { PRIORITY_LEVELS } from "./run-row.js";

/** Jobs of one statement. */
const BATCH = 10_000;

/**
 * Counts the ranks of a queue and level from a new base, before they would leave the engine's integers, and gives all
 * its jobs their ranks anew. Claims and submits wait meanwhile: about a second for 100,000 jobs, once in some hundred
 * thousand rounds.
 */
export async function rebase(
  parts: FleetParts,
  run: Pick<RunInfo, "queue" | "priority">,
): Promise<void> {
  const { database, engine } = parts;
  const { schema } = database;
  const { queue } = run;
  const priority = PRIORITY_LEVELS[run.priority];
  await claimAlone(parts, async (db) => {
    const base = await moveBase(db, schema, { queue, priority });
    if (base === undefined) return;
    for (let after = "0"; ; ) {
      const { rows } = await db.query<{ number: string; job_id: string; tag: string }>(
        `select number, job_id, tag from ${schema}.run
         where queue = $1 and priority = $2 and state in ('queued', 'running') and next_how <> 'answered'
           and job_id is not null and number > $3
         order by number limit ${BATCH}`,
        [queue, priority, after],
      );
      const jobs = rows.map(({ job_id, tag }) => ({
        id: job_id,
        rank: rankOf(priority, Number(tag), base),
      }));
      await engine.rerank(jobs, queue, db);
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.number;
    }
  });
}
