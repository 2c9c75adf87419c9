import { estimateCost } from "../accounting/estimate.js";
import { book, release } from "../accounting/ledger.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { SegmentUsage } from "./claims.js";
import type { RunRow } from "./run-row.js";

/** How the last segment of a run ended, for its row and for the ledger. */
export interface ClosedSegment {
  readonly end: "done" | "failed" | "cancelled" | "parked" | "returned" | "lost";
  /** Undefined if the CLI did not say: then an estimate is booked. */
  readonly costUsd: number | undefined;
  /** Undefined: what was metered last. */
  readonly usage: SegmentUsage | undefined;
  readonly workedMs: number;
}

/**
 * Ends the current segment of a run and books it, once, in the caller's transaction; gives its reservation back; and
 * returns the run with its new cost. The run is locked.
 */
export async function closeSegment(
  { database }: FleetParts,
  db: Queryable,
  run: RunRow,
  closed: ClosedSegment,
): Promise<RunRow> {
  const { schema } = database;
  const { rows: segments } = await db.query<{ usage: string | null }>(
    `with text as (delete from ${schema}.event where run_id = $1 and type = 'text')
     update ${schema}.segment set ended_at = clock_timestamp(), "end" = $3, usage = coalesce($4, usage)
     where run_id = $1 and segment = $2 returning usage`,
    [
      run.id,
      run.segment,
      closed.end,
      closed.usage === undefined ? null : JSON.stringify(closed.usage),
    ],
  );
  const metered = segments[0]?.usage ?? null;
  const usage = metered === null ? undefined : (JSON.parse(metered) as SegmentUsage);
  // `numeric` has NaN, which would make every sum of the tenant NaN, and its budgets endless.
  const told = closed.costUsd !== undefined && closed.costUsd >= 0 ? closed.costUsd : undefined;
  const estimated = told === undefined;
  const costUsd =
    told ??
    (await estimateCost(db, schema, {
      tenant: run.tenant,
      usage,
      reservedUsd: Number(run.reserved_usd),
      isLimited: run.budget_usd !== null,
    }));
  const booked = await book(db, schema, {
    run: run.id,
    segment: run.segment,
    tenant: run.tenant,
    account: run.account ?? "default",
    costUsd,
    estimated,
    usage,
  });
  await release(db, schema, run.tenant, {
    amountUsd: Number(run.reserved_usd),
    day: run.reserved_on ?? undefined,
  });
  const { rows } = await db.query<Pick<RunRow, "cost_usd" | "cost_estimated" | "worked_ms">>(
    `update ${schema}.run set cost_usd = cost_usd + $2, cost_estimated = cost_estimated or $3,
       worked_ms = worked_ms + $4, reserved_usd = 0, reserved_on = null
     where id = $1 returning cost_usd, cost_estimated, worked_ms`,
    [run.id, booked ? costUsd : 0, booked && estimated, Math.max(0, Math.round(closed.workedMs))],
  );
  return { ...run, ...rows[0], reserved_usd: "0", reserved_on: null };
}
