import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { closeSegment } from "./close-segment.js";
import type { RunEventBody } from "./run.js";
import type { RunRow } from "./run-row.js";
import { readUncertain } from "./uncertain-tools.js";

type LostEvent = Extract<RunEventBody, { readonly type: "lost" }>;

/**
 * Closes the segment of a host that was silent for too long, books its estimate, and moves the fence on, so that the
 * silent host cannot write any more. Returns the run, which is `queued`, and the event for the caller to write. The
 * session's queue, the session and the run are locked.
 */
export async function closeLost(
  parts: FleetParts,
  db: Queryable,
  lost: RunRow,
  workedMs: number,
): Promise<{ readonly run: RunRow; readonly event: LostEvent }> {
  const { schema } = parts.database;
  const closed = await closeSegment(parts, db, lost, {
    end: "lost",
    costUsd: undefined,
    usage: undefined,
    workedMs,
  });
  const run = { ...closed, state: "queued", deaths: closed.deaths + 1 } as const;
  await db.query(
    `update ${schema}.run set state = 'queued', next_how = 'recovered', deaths = $2 where id = $1`,
    [run.id, run.deaths],
  );
  await db.query(
    `update ${schema}.session set epoch = epoch + 1, holder = null, expires_at = null where id = $1`,
    [run.session_id],
  );
  const uncertain = await readUncertain(parts, db, run.id, run.segment + 1);
  return { run, event: { type: "lost", segment: run.segment, uncertain } };
}

/**
 * Whether the host of a run is dead, by the lease of the session alone, as SQL; `$1` is the lease. The job has a lease
 * as well, which a claim waits for. Without a look at it half a lease more must pass: a heartbeat renews the job, and
 * passes over a session that is locked at this moment.
 */
const IS_SILENT =
  "session.epoch = run.epoch and session.expires_at < clock_timestamp() - $1 * interval '0.5 milliseconds'";

/**
 * How long the segment of a dead host had worked when its host was heard of last, with the session locked; undefined if
 * the host may be alive. The run is locked already, so that a locked session is not waited for: its host may be writing.
 */
export async function lockIfLost(
  { database, leaseMs }: FleetParts,
  db: Queryable,
  run: RunRow,
): Promise<number | undefined> {
  const { schema } = database;
  const { rows } = await db.query<{ worked_ms: string }>(
    `select greatest(0, extract(epoch from session.expires_at - segment.began_at) * 1000 - $1)::bigint as worked_ms
     from ${schema}.run join ${schema}.session on session.id = run.session_id
     join ${schema}.segment on segment.run_id = run.id and segment.segment = run.segment
     where run.id = $2 and run.state = 'running' and ${IS_SILENT}
     for no key update of session skip locked`,
    [leaseMs, run.id],
  );
  return rows[0] === undefined ? undefined : Number(rows[0].worked_ms);
}

/** Runs of dead hosts that somebody wants to end. */
export async function findLostRequests(
  { database, leaseMs }: FleetParts,
  limit: number,
): Promise<string[]> {
  const { schema } = database;
  const { rows } = await database.query<{ id: string }>(
    `select run.id from ${schema}.run join ${schema}.session on session.id = run.session_id
     where run.state = 'running' and run.cancel_requested_at is not null and ${IS_SILENT}
     order by run.cancel_requested_at limit $2`,
    [leaseMs, limit],
  );
  return rows.map(({ id }) => id);
}
