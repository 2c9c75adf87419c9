import { countRun } from "../accounting/ledger.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunEventBody, RunFailure, RunOutcome } from "./run.js";
import type { RunRow } from "./run-row.js";
import { queueNextHeld } from "./send-job.js";
import { writeEvents } from "./write-events.js";

/** What a run comes to. */
export type RunEnd =
  | { readonly state: "done"; readonly outcome: RunOutcome }
  | { readonly state: "failed" | "cancelled"; readonly error: RunFailure };

/**
 * Settles a run: its state, the event `ended`, its open questions, and the next run of its session, in the caller's
 * transaction. The caller has called `keepRanks()`, locked the session's queue and the run, and seen that the run is
 * not settled.
 */
export async function endRun(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
  end: RunEnd,
  eventsBefore: readonly RunEventBody[] = [],
): Promise<void> {
  const { schema } = parts.database;
  await db.query(
    `update ${schema}.run set state = $2, outcome = $3, error = $4, ended_at = clock_timestamp() where id = $1`,
    [
      run.id,
      end.state,
      end.state === "done" ? JSON.stringify(end.outcome) : null,
      end.state === "done" ? null : JSON.stringify(end.error),
    ],
  );
  const withdrawn = await withdrawQuestions(parts, db, run.id);
  if (run.segment > 0) await countRun(db, schema, run.id);
  await writeEvents(parts, db, run.id, [
    ...eventsBefore,
    ...withdrawn,
    {
      type: "ended",
      state: end.state,
      ...(end.state === "done" ? {} : { error: end.error }),
    },
  ]);
  // A run that was held has another one of its session before it.
  if (run.state !== "held") await queueNextHeld(parts, db, run.session_id);
}

/** No process waits for the answers any more. Returns the events that say so. */
async function withdrawQuestions(
  { database }: FleetParts,
  db: Queryable,
  run: string,
): Promise<RunEventBody[]> {
  const { rows } = await db.query<{ id: string }>(
    `update ${database.schema}.approval set state = 'withdrawn', settled_at = clock_timestamp()
     where run_id = $1 and state = 'open' returning id`,
    [run],
  );
  if (rows.length > 0) await database.notify(db, "approval", run);
  return rows.map(({ id }) => ({ type: "answered", approval: id, outcome: "withdrawn" }));
}
