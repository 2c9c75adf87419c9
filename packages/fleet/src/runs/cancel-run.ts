import { keepRanks } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { endRun } from "./end-run.js";
import { cancelledFailure, lateFailure } from "./failures.js";
import { lockRanksAndQueue, lockRun, tryLockSessionQueue } from "./lock-run.js";
import { checkRunId, runNotFound } from "./run-not-found.js";
import { type RunRow, SETTLED } from "./run-row.js";

/** Why a run is ended from outside. */
export type EndReason =
  | { readonly type: "cancelled"; readonly reason: string }
  | { readonly type: "deadline" };

/** Cancels a run, whatever its state. False if it was settled before. */
export async function cancelRun(
  parts: FleetParts,
  id: string,
  reason = "a caller wanted it",
): Promise<boolean> {
  const ended = await endFromOutside(parts, id, { type: "cancelled", reason });
  if (ended === "gone") throw runNotFound(id);
  return ended === "ended";
}

/** Ends a run whose deadline has passed. False if another transaction has its session: then it is for later. */
export async function expireRun(parts: FleetParts, id: string): Promise<boolean> {
  return (await endFromOutside(parts, id, { type: "deadline" })) !== "busy";
}

async function endFromOutside(
  parts: FleetParts,
  id: string,
  why: EndReason,
): Promise<"ended" | "settled_before" | "gone" | "busy"> {
  checkRunId(id);
  const { database, engine, logger } = parts;
  const { rows } = await database.query<{ session_id: string }>(
    `select session_id from ${database.schema}.run where id = $1`,
    [id],
  );
  const session = rows[0]?.session_id;
  if (session === undefined) return "gone";
  const { run, ended, isBusy } = await database.transaction(async (db) => {
    // A deadline does not wait for a caller's transaction that has locked the session, because all other runs whose
    // time is over would wait with it. The run is ended by a later look.
    const isBusy = !(await lockSession(parts, db, session, { waits: why.type !== "deadline" }));
    const run = isBusy ? undefined : await lockRun(parts, db, id);
    return { run, isBusy, ended: run !== undefined && (await endLocked(parts, db, run, why)) };
  });
  if (isBusy) return "busy";
  if (run === undefined) return "gone";
  if (!ended) return "settled_before";
  if (run.state === "queued" && run.job_id !== null) {
    // Outside of the transaction: a claim locks the job before the run. A job that stays is dropped by its claim.
    await engine.cancel(run.job_id, run.queue, database).catch((error: unknown) => {
      logger?.debug("The job of a cancelled run stays until it is claimed.", { error });
    });
  }
  return "ended";
}

/** False if another transaction has the session's queue, and this one does not wait for it. */
async function lockSession(
  parts: FleetParts,
  db: Queryable,
  session: string,
  { waits }: { readonly waits: boolean },
): Promise<boolean> {
  if (waits) {
    await lockRanksAndQueue(parts, db, session);
    return true;
  }
  await keepRanks(db, parts.database.schema);
  return await tryLockSessionQueue(parts, db, session);
}

/**
 * Ends a locked run, or asks the host that works on it to do so. The caller has called `keepRanks()` and locked the
 * session's queue.
 */
export async function endLocked(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
  why: EndReason,
): Promise<boolean> {
  if (SETTLED.has(run.state)) return false;
  if (why.type === "deadline" && !run.is_late) return false;
  if (run.state === "running") {
    await requestEnd(parts, db, run, why);
    return true;
  }
  await endRun(
    parts,
    db,
    run,
    why.type === "deadline"
      ? { state: "failed", error: lateFailure(run.deadline) }
      : { state: "cancelled", error: cancelledFailure(why.reason) },
  );
  return true;
}

/** A missing reason means the deadline, see `endOfCancelled()`. The first request counts. */
async function requestEnd(
  { database }: FleetParts,
  db: Queryable,
  run: RunRow,
  why: EndReason,
): Promise<void> {
  const { rowCount } = await db.query(
    `update ${database.schema}.run set cancel_requested_at = clock_timestamp(), cancel_reason = $2
     where id = $1 and cancel_requested_at is null`,
    [run.id, why.type === "deadline" ? null : why.reason.replaceAll("\0", "")],
  );
  if (rowCount === 1) await database.notify(db, "cancel", run.id);
}
