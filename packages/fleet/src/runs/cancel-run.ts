import { keepRanks } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { closeLost, lockIfLost } from "./close-lost.js";
import { endRun, type RunEnd } from "./end-run.js";
import { cancelledFailure, lateFailure } from "./failures.js";
import { lockRanksAndQueue, lockRun, tryLockSessionQueue } from "./lock-run.js";
import { checkRunId, runNotFound } from "./run-not-found.js";
import { type RunRow, SETTLED } from "./run-row.js";
import { endOfCancelled } from "./settle-segment.js";

/** Why a run is ended from outside. */
export type EndReason =
  | { readonly type: "cancelled"; readonly reason: string }
  | { readonly type: "deadline" }
  /** Its host was asked to end it, and is dead. */
  | { readonly type: "unheard_request" };

/** What came of it: `requested` means that the host of the run was asked to end it. */
type Ended = "ended" | "requested" | "unchanged";

/** Cancels a run, whatever its state. False if it was settled before. */
export async function cancelRun(
  parts: FleetParts,
  id: string,
  reason = "a caller wanted it",
): Promise<boolean> {
  const ended = await endFromOutside(parts, id, { type: "cancelled", reason });
  if (ended === "gone") throw runNotFound(id);
  return ended === "ended" || ended === "requested";
}

/** Ends a run whose deadline has passed. False if another transaction has its session: then it is for later. */
export async function expireRun(parts: FleetParts, id: string): Promise<boolean> {
  return (await endFromOutside(parts, id, { type: "deadline" })) !== "busy";
}

/** Ends a run whose host was asked to end it and has died since. False if it may be alive, or for later. */
export async function endUnheard(parts: FleetParts, id: string): Promise<boolean> {
  return (await endFromOutside(parts, id, { type: "unheard_request" })) === "ended";
}

async function endFromOutside(
  parts: FleetParts,
  id: string,
  why: EndReason,
): Promise<Ended | "gone" | "busy"> {
  checkRunId(id);
  const { database, engine, logger } = parts;
  const { rows } = await database.query<{ session_id: string }>(
    `select session_id from ${database.schema}.run where id = $1`,
    [id],
  );
  const session = rows[0]?.session_id;
  if (session === undefined) return "gone";
  const { run, ended, isBusy } = await database.transaction(async (db) => {
    // Only a caller waits for another transaction that has locked the session. The upkeep does not, because all other
    // runs whose time is over would wait with it. The run is ended by a later look.
    const isBusy = !(await lockSession(parts, db, session, { waits: why.type === "cancelled" }));
    const run = isBusy ? undefined : await lockRun(parts, db, id);
    const ended = run === undefined ? "unchanged" : await endLocked(parts, db, run, why);
    return { run, isBusy, ended };
  });
  if (isBusy) return "busy";
  if (run === undefined) return "gone";
  const hadJob = run.state === "queued" || run.state === "running";
  if (ended === "ended" && hadJob && run.job_id !== null) {
    // Outside of the transaction: a claim locks the job before the run. A job that stays is dropped by its claim.
    await engine.cancel(run.job_id, run.queue, database).catch((error: unknown) => {
      logger?.debug("The job of a cancelled run stays until it is claimed.", { error });
    });
  }
  return ended;
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
 * Ends a locked run, or asks the host that works on it to do so. If that host is dead, the run is ended at once: the
 * next claim may be far, because nothing of a tenant that is paused or at its limit is claimed. The caller has called
 * `keepRanks()` and locked the session's queue.
 */
export async function endLocked(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
  why: EndReason,
): Promise<Ended> {
  if (SETTLED.has(run.state)) return "unchanged";
  if (why.type === "deadline" && !run.is_late) return "unchanged";
  if (run.state !== "running") {
    if (why.type === "unheard_request") return "unchanged";
    await endRun(parts, db, run, endOf(run, why));
    // A host that has worked on it before may keep a folder for it.
    if (run.segment > 0) await parts.database.notify(db, "cancel", run.id);
    return "ended";
  }
  const workedMs = await lockIfLost(parts, db, run);
  if (workedMs === undefined) return await requestEnd(parts, db, run, why);
  // The job is locked before the run, so that it cannot be completed here. Its next claim drops it.
  const { run: closed, event } = await closeLost(parts, db, run, workedMs);
  await endRun(parts, db, closed, endOf(closed, why), [{ ...event, isLast: true }]);
  return "ended";
}

/** The first request counts. */
function endOf(run: RunRow, why: EndReason): RunEnd {
  if (run.cancel_requested_at !== null) return endOfCancelled(run);
  if (why.type === "cancelled") {
    return { state: "cancelled", error: cancelledFailure(why.reason) };
  }
  return { state: "failed", error: lateFailure(run.deadline) };
}

/** A missing reason means the deadline, see `endOfCancelled()`. The first request counts. */
async function requestEnd(
  { database }: FleetParts,
  db: Queryable,
  run: RunRow,
  why: EndReason,
): Promise<Ended> {
  if (why.type === "unheard_request") return "unchanged";
  const { rowCount } = await db.query(
    `update ${database.schema}.run set cancel_requested_at = clock_timestamp(), cancel_reason = $2
     where id = $1 and cancel_requested_at is null`,
    [run.id, why.type === "deadline" ? null : why.reason.replaceAll("\0", "")],
  );
  if (rowCount === 1) await database.notify(db, "cancel", run.id);
  return "requested";
}
