import type { Queryable } from "../database/database.js";

/**
 * Start-time fair queueing over tenants, on an engine that knows ranks only.
 *
 * Each queue and priority level has a clock `v`, the tag that was served last, and each tenant a lane. A run gets
 * the tag `max(lane, v)`, and the lane moves on by one step, the smaller the greater the tenant's weight. The engine
 * serves the least tag first, so tenants take turns in proportion to their weights, and a tenant that was away
 * begins at `v`: neither behind the others nor with a credit.
 */

/** How far a run of weight 1 moves its lane. */
const STEP = 1_000;

/** The ranks of one priority level. Three levels fill the integer column of the engine. */
const WIDTH = 1_400_000_000;

/** The lowest rank of each level. */
const FLOOR: Readonly<Record<PriorityLevel, number>> = {
  [-1]: -2_100_000_000,
  0: -700_000_000,
  1: 700_000_000,
};

/** The distance of the clock from its base at which ranks are counted from a new base. */
const REBASE_AT: number = WIDTH / 2;

/** What is kept below the clock at a new base: tags of tenants that were blocked and are still to be served. */
const KEPT_BELOW: number = WIDTH / 8;

/**
 * A run that is further behind the clock than ten rounds was kept from being served: its tenant was paused, at its
 * limit or without money, or the run was held.
 */
const MOST_CREDIT: number = 10 * STEP;

/** Whether a run gets a tag at the clock, see `takeLateTags()`: a condition on the rows `run`, `clock` and `lane`. */
export const IS_LATE: string = `(clock.v - run.tag > ${MOST_CREDIT} or (run.tag < lane.late and not run.is_put_back))`;

export type PriorityLevel = -1 | 0 | 1;

/** Which order a run stands in. */
export interface Lane {
  readonly queue: string;
  readonly priority: PriorityLevel;
  readonly tenant: string;
}

/**
 * The rank of a tag. Tags outside of the width get the rank of its end, so that a rank always fits the engine's
 * integer; they get their exact rank at the next rebase.
 */
export function rankOf(priority: PriorityLevel, tag: number, base: number): number {
  const offset = Math.min(Math.max(tag - base, 0), WIDTH - 2);
  return FLOOR[priority] + (WIDTH - 2 - offset);
}

/** The rank before all tags of its level: for a run that a person has answered, because the person waits. */
export function firstRank(priority: PriorityLevel): number {
  return FLOOR[priority] + WIDTH - 1;
}

/** The key of the lock on all bases. */
export const ranksKey = (schema: string): string => `hawser ranks ${schema}`;

/**
 * Keeps the bases as they are until the transaction ends, so that a rank that it computes is still right when the job
 * appears. Every transaction that sends a job with the rank of a tag calls it before it locks anything else.
 */
export async function keepRanks(db: Queryable, schema: string): Promise<void> {
  await db.query("select pg_advisory_xact_lock_shared(hashtextextended($1, 0))", [
    ranksKey(schema),
  ]);
}

/** Takes the next tag of a lane. Until the transaction ends, other runs of the same lane wait for it. */
export async function takeTag(
  db: Queryable,
  schema: string,
  { queue, priority, tenant }: Lane,
): Promise<{ readonly tag: number; readonly rank: number }> {
  const sql = `
    with clock as (
      select v, base from ${schema}.clock where queue = $1 and priority = $2
    ), step as (
      select greatest(1, round(${STEP} / coalesce(
        (select weight from ${schema}.tenant where name = $3), 1)))::bigint as size
    ), taken as (
      insert into ${schema}.lane as lane (queue, priority, tenant, tag)
      select $1, $2, $3, clock.v + step.size from clock, step
      on conflict (queue, priority, tenant)
      do update set tag = greatest(greatest(lane.tag, lane.late) + (select size from step), excluded.tag)
      returning tag
    )
    select taken.tag - step.size as tag, clock.base from taken, step, clock`;
  for (;;) {
    const { rows } = await db.query<{ tag: string; base: string }>(sql, [queue, priority, tenant]);
    const [row] = rows;
    if (row !== undefined) {
      const tag = Number(row.tag);
      return { tag, rank: rankOf(priority, tag, Number(row.base)) };
    }
    await makeClock(db, schema, { queue, priority });
  }
}

/**
 * The tag of a run that begins later: so far behind the clock that it gets its tag when it is due, see
 * `takeLateTags()`. The lane stays where it is, so that the runs of the same tenant that are due now do not wait for it.
 */
export async function takeTagOfLater(
  db: Queryable,
  schema: string,
  { queue, priority, tenant }: Lane,
): Promise<{ readonly tag: number; readonly rank: number }> {
  await makeClock(db, schema, { queue, priority });
  const { rows } = await db.query<{ tag: string; base: string }>(
    `with clock as (
       select v, base from ${schema}.clock where queue = $1 and priority = $2
     ), lane as (
       insert into ${schema}.lane (queue, priority, tenant, tag) select $1, $2, $3, v from clock
       on conflict do nothing
     )
     select v - ${MOST_CREDIT} - 1 as tag, base from clock`,
    [queue, priority, tenant],
  );
  const tag = Number(rows[0]?.tag ?? 0);
  return { tag, rank: rankOf(priority, tag, Number(rows[0]?.base ?? 0)) };
}

/** The first run of a queue makes its clock. */
async function makeClock(
  db: Queryable,
  schema: string,
  { queue, priority }: Omit<Lane, "tenant">,
): Promise<void> {
  await db.query(
    `insert into ${schema}.clock (queue, priority) values ($1, $2) on conflict do nothing`,
    [queue, priority],
  );
}

/**
 * Takes tags at the clock for runs of a tenant that are far behind it. Otherwise a tenant that was paused for an hour
 * would get all slots until it has caught up with what the others got in that hour. Its runs keep their order if those
 * that come after are put back too: all of the lane whose tags are below `lane.late`.
 *
 * A lane that is locked is not waited for, because a claim calls this while all others wait, and a caller's transaction
 * may have the lane. The runs then get the clock's own tag.
 */
export async function takeLateTags(
  db: Queryable,
  schema: string,
  { queue, priority, tenant }: Lane,
  count: number,
): Promise<{ readonly tag: number; readonly rank: number }[]> {
  const { rows } = await db.query<{ first: string; step: string; base: string }>(
    `with clock as (
       select v, base from ${schema}.clock where queue = $1 and priority = $2
     ), step as (
       select greatest(1, round(${STEP} / coalesce(
         (select weight from ${schema}.tenant where name = $3), 1)))::bigint as size
     ), moved as (
       update ${schema}.lane set late = greatest(late, clock.v) + $4 * step.size from clock, step
       where lane.queue = $1 and lane.priority = $2 and lane.tenant = (
         select tenant from ${schema}.lane
         where queue = $1 and priority = $2 and tenant = $3 for update skip locked
       ) returning late
     )
     select coalesce((select late from moved) - $4 * step.size, clock.v) as first,
       case when exists (select 1 from moved) then step.size else 0 end as step, clock.base
     from clock, step`,
    [queue, priority, tenant, count],
  );
  const { first = "0", step = "0", base = "0" } = rows[0] ?? {};
  return Array.from({ length: count }, (_, place) => {
    const tag = Number(first) + place * Number(step);
    return { tag, rank: rankOf(priority, tag, Number(base)) };
  });
}

/** The base of the ranks of a queue and level. */
export async function readBase(
  db: Queryable,
  schema: string,
  { queue, priority }: Omit<Lane, "tenant">,
): Promise<number> {
  const { rows } = await db.query<{ base: string }>(
    `select base from ${schema}.clock where queue = $1 and priority = $2`,
    [queue, priority],
  );
  return Number(rows[0]?.base ?? 0);
}

/** Whether the clock is so far from its base that it is time for a rebase. */
export function isRebaseDue(distance: number): boolean {
  return distance > REBASE_AT;
}

/**
 * Counts the ranks of a queue and level from a new base. Returns the base, or undefined if a transaction keeps the
 * ranks at this moment or the base was moved already: a later claim tries again. The caller gives the waiting jobs
 * their new ranks in the same transaction.
 */
export async function moveBase(
  db: Queryable,
  schema: string,
  { queue, priority }: Omit<Lane, "tenant">,
): Promise<number | undefined> {
  const { rows: locks } = await db.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked",
    [ranksKey(schema)],
  );
  if (locks[0]?.locked !== true) return undefined;
  const { rows } = await db.query<{ base: string }>(
    `update ${schema}.clock set base = v - ${KEPT_BELOW}
     where queue = $1 and priority = $2 and v - base > ${REBASE_AT} returning base`,
    [queue, priority],
  );
  return rows[0] === undefined ? undefined : Number(rows[0].base);
}
