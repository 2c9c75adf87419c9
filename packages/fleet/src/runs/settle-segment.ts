import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim, SegmentEnd } from "./claims.js";
import { type ClosedSegment, closeSegment } from "./close-segment.js";
import { endRun } from "./end-run.js";
import { cancelledFailure, claimLost, lateFailure } from "./failures.js";
import { checkEpoch } from "./fence.js";
import { lockRanksAndQueue, lockRun } from "./lock-run.js";
import type { RunEventBody, RunOutcome } from "./run.js";
import type { RunRow } from "./run-row.js";
import { queueAnswered } from "./send-job.js";
import { readUncertain } from "./uncertain-tools.js";
import { hasUntriedWorker } from "./untried-workers.js";
import { writeEvents } from "./write-events.js";

/**
 * Records the end of a segment in one transaction. The attempt of the job and the epoch of the session must both
 * hold, so that of two hosts that settle the same run one is refused with `lease_lost`.
 */
export async function settleSegment(
  parts: FleetParts,
  claim: Claim,
  end: SegmentEnd,
): Promise<void> {
  const { database, engine } = parts;
  await database.transaction(async (db) => {
    await lockRanksAndQueue(parts, db, claim.run.sessionId);
    if (!(await engine.holds(claim.job, db))) {
      // A host that lost the connection while it settled cannot know whether it has. It may ask again.
      if (await isSettledBy(parts, db, claim, end)) return;
      throw claimLost(claim.run.id, claim.segment);
    }
    await checkEpoch(parts, db, claim, "for no key update");
    const run = await lockRun(parts, db, claim.run.id);
    if (run?.state !== "running" || Number(run.epoch) !== claim.epoch) {
      throw claimLost(claim.run.id, claim.segment);
    }
    await recordEnd(parts, db, { run, claim, end });
    await freeSession(parts, db, run.session_id);
    await database.notify(db, "wake");
  });
}

async function isSettledBy(
  { database }: FleetParts,
  db: Queryable,
  claim: Claim,
  end: SegmentEnd,
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from ${database.schema}.segment where run_id = $1 and segment = $2 and epoch = $3 and "end" = $4`,
    [claim.run.id, claim.segment, claim.epoch, endOf(end)],
  );
  return rows.length > 0;
}

/** What the row of the segment says. A CLI that died is recorded like a host that died. */
function endOf({ type }: SegmentEnd): ClosedSegment["end"] {
  return type === "crashed" ? "lost" : type;
}

interface Ending {
  readonly run: RunRow;
  readonly claim: Claim;
  readonly end: SegmentEnd;
}

async function recordEnd(
  parts: FleetParts,
  db: Queryable,
  { run: before, claim, end }: Ending,
): Promise<void> {
  const run = await closeSegment(parts, db, before, { ...end, end: endOf(end) });
  const goesOn = end.type === "parked" || end.type === "returned";
  if (goesOn && run.cancel_requested_at !== null) {
    // The cancellation takes effect here: a parked run has no process that could obey it, and another worker may
    // never come.
    await completeJob(parts, db, claim);
    await endRun(parts, db, run, endOfCancelled(run));
    return;
  }
  switch (end.type) {
    case "done":
      await completeJob(parts, db, claim);
      await endRun(parts, db, run, {
        state: "done",
        outcome: await outcomeOf(parts, db, run, end.outcome),
      });
      return;
    case "failed":
      await completeJob(parts, db, claim);
      await endRun(parts, db, run, { state: "failed", error: end.error });
      return;
    case "cancelled":
      await completeJob(parts, db, claim);
      await endRun(
        parts,
        db,
        run,
        run.cancel_reason === null ? endOfCancelled(run, end.error) : endOfCancelled(run),
      );
      return;
    case "parked":
      await completeJob(parts, db, claim);
      await park(parts, db, run, end.approval);
      return;
    case "returned":
      await giveBack(parts, db, { run, claim, end });
      return;
    case "crashed":
      await recordCrash(parts, db, { run, claim }, end);
      return;
  }
}

/** The run is recovered by another segment, or fails if too many have died of it. */
async function recordCrash(
  parts: FleetParts,
  db: Queryable,
  { run: before, claim }: Omit<Ending, "end">,
  { error, isHostFault = false }: Extract<SegmentEnd, { readonly type: "crashed" }>,
): Promise<void> {
  // A host on which no CLI starts must not use up the attempts of a run that another host can work on.
  const isLeftToOthers =
    isHostFault && (await hasUntriedWorker(parts, db, before, before.host ?? ""));
  const run = { ...before, deaths: before.deaths + (isLeftToOthers ? 0 : 1) };
  const uncertain = await readUncertain(parts, db, run.id, run.segment + 1);
  const lost: RunEventBody = { type: "lost", segment: run.segment, uncertain, error };
  const isWanted = run.cancel_requested_at !== null;
  const isLast = isWanted || (!isLeftToOthers && run.deaths >= run.max_attempts);
  await db.query(
    `update ${parts.database.schema}.run set state = 'queued', next_how = $3, deaths = $2 where id = $1`,
    // Nothing was done by a host on which no CLI started, so that the next segment begins as this one did.
    [run.id, run.deaths, isHostFault ? claim.how : "recovered"],
  );
  if (isLast) {
    await completeJob(parts, db, claim);
    const ending = isWanted ? endOfCancelled(run) : ({ state: "failed", error } as const);
    await endRun(parts, db, run, ending, [{ ...lost, isLast: true }]);
    return;
  }
  if (!(await parts.engine.giveBack(claim.job, {}, db))) {
    throw claimLost(claim.run.id, claim.segment);
  }
  await writeEvents(parts, db, run.id, [lost]);
}

async function completeJob({ engine }: FleetParts, db: Queryable, claim: Claim): Promise<void> {
  if (!(await engine.complete(claim.job, db))) throw claimLost(claim.run.id, claim.segment);
}

async function outcomeOf(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
  outcome: Pick<RunOutcome, "text" | "value" | "stop" | "usage">,
): Promise<RunOutcome> {
  return {
    ...outcome,
    costUsd: Number(run.cost_usd),
    costEstimated: run.cost_estimated,
    sessionId: run.session_id,
    segments: run.segment,
    uncertainTools: await readUncertain(parts, db, run.id, run.segment),
  };
}

/** A run that was interrupted because of its deadline has failed; a person or a program did not want that. */
export function endOfCancelled(
  run: RunRow,
  error = cancelledFailure(run.cancel_reason ?? "no reason was given"),
): { readonly state: "failed" | "cancelled"; readonly error: typeof error } {
  return run.cancel_requested_at !== null && run.cancel_reason === null
    ? { state: "failed", error: lateFailure(run.deadline) }
    : { state: "cancelled", error };
}

/** The run waits without a process. If the answer came while the process ended, it is queued at once. */
async function park(
  parts: FleetParts,
  db: Queryable,
  run: RunRow,
  approval: string,
): Promise<void> {
  const { schema } = parts.database;
  await db.query(`update ${schema}.run set state = 'waiting' where id = $1`, [run.id]);
  await writeEvents(parts, db, run.id, [{ type: "parked", approval }]);
  const { rows } = await db.query<{ state: string }>(
    `select state from ${schema}.approval where id = $1`,
    [approval],
  );
  if (rows[0]?.state !== "open") await queueAnswered(parts, db, { ...run, state: "waiting" });
}

async function giveBack(
  parts: FleetParts,
  db: Queryable,
  { run, claim, end }: Ending,
): Promise<void> {
  if (end.type !== "returned") return;
  const { startAfterMs } = end;
  const options = startAfterMs === undefined ? {} : { startAfterMs };
  if (!(await parts.engine.giveBack(claim.job, options, db))) {
    throw claimLost(claim.run.id, claim.segment);
  }
  await db.query(
    `update ${parts.database.schema}.run set state = 'queued', next_how = 'returned' where id = $1`,
    [run.id],
  );
  await writeEvents(parts, db, run.id, [{ type: "returned", reason: end.reason }]);
}

/** The next one that wants the session need not wait for the end of the lease. The epoch stays. */
async function freeSession(
  { database }: FleetParts,
  db: Queryable,
  session: string,
): Promise<void> {
  await db.query(
    `update ${database.schema}.session set holder = null, expires_at = null where id = $1`,
    [session],
  );
}
