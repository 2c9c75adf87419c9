import type { Queryable } from "../database/database.js";

/** One segment's cost, to be booked once. */
export interface Charge {
  readonly run: string;
  readonly segment: number;
  readonly tenant: string;
  readonly account: string;
  readonly costUsd: number;
  /** Whether the CLI did not say the cost. */
  readonly estimated: boolean;
  readonly usage: ChargedTokens | undefined;
}

/** The tokens of a segment, as `SegmentUsage` of the runs has them. */
export interface ChargedTokens {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly requests: number;
}

const TODAY = "(clock_timestamp() at time zone 'utc')::date";

/** Books a segment: its charge and the tenant's day. False if the segment was booked before. */
export async function book(db: Queryable, schema: string, charge: Charge): Promise<boolean> {
  const { usage } = charge;
  const { rowCount } = await db.query(
    `with charge as (
       insert into ${schema}.charge (run_id, segment, tenant, account, model, cost_usd, estimated,
         input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, requests)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (run_id, segment) do nothing
       returning *
     )
     insert into ${schema}.spend as spend (tenant, day, cost_usd, estimated_usd, input_tokens, output_tokens)
     select tenant, ${TODAY}, cost_usd, case when estimated then cost_usd else 0 end,
       input_tokens + cache_read_tokens + cache_write_tokens, output_tokens
     from charge
     on conflict (tenant, day) do update set
       cost_usd = spend.cost_usd + excluded.cost_usd,
       estimated_usd = spend.estimated_usd + excluded.estimated_usd,
       input_tokens = spend.input_tokens + excluded.input_tokens,
       output_tokens = spend.output_tokens + excluded.output_tokens`,
    [
      charge.run,
      charge.segment,
      charge.tenant,
      charge.account,
      usage?.model ?? null,
      charge.costUsd,
      charge.estimated,
      wholeNumber(usage?.inputTokens),
      wholeNumber(usage?.outputTokens),
      wholeNumber(usage?.cacheReadTokens),
      wholeNumber(usage?.cacheWriteTokens),
      Math.min(wholeNumber(usage?.requests), MOST_REQUESTS),
    ],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * The counts come from whatever answers the CLI's requests. One that is no whole number would be refused by Postgres,
 * and the run could never be settled.
 */
function wholeNumber(count: number | undefined): number {
  if (count === undefined || !(count > 0)) return 0;
  return Math.min(Math.round(count), MOST_TOKENS);
}

/** So many that sums of them still fit a bigint. */
const MOST_TOKENS = 1e12;

/** The column is an integer of four bytes. */
const MOST_REQUESTS = 1e9;

/** Adds a run that was just settled to the runs of the day on which it ended. */
export async function countRun(db: Queryable, schema: string, run: string): Promise<void> {
  await db.query(
    `insert into ${schema}.spend as spend (tenant, day, runs)
     select tenant, ${DAY_OF_END}, 1 from ${schema}.run where id = $1
     on conflict (tenant, day) do update set runs = spend.runs + 1`,
    [run],
  );
}

/**
 * Takes back what `countRun()` has added, because the run goes on and is counted again when it is settled. The run
 * still has the time of its end.
 */
export async function uncountRun(db: Queryable, schema: string, run: string): Promise<void> {
  await db.query(
    `update ${schema}.spend set runs = spend.runs - 1 from ${schema}.run
     where run.id = $1 and spend.tenant = run.tenant and spend.day = ${DAY_OF_END} and spend.runs > 0`,
    [run],
  );
}

const DAY_OF_END = "(run.ended_at at time zone 'utc')::date";

/** Reserves money on the tenant's day. Returns the day, which `release()` needs. */
export async function reserve(
  db: Queryable,
  schema: string,
  tenant: string,
  amountUsd: number,
): Promise<string> {
  const { rows } = await db.query<{ day: string }>(
    `insert into ${schema}.spend as spend (tenant, day, reserved_usd) values ($1, ${TODAY}, $2)
     on conflict (tenant, day) do update set reserved_usd = spend.reserved_usd + excluded.reserved_usd
     returning to_char(day, 'YYYY-MM-DD') as day`,
    [tenant, amountUsd],
  );
  return rows[0]?.day ?? "";
}

/** Gives a reservation back. A tenant that waited for money may be served again. */
export async function release(
  db: Queryable,
  schema: string,
  tenant: string,
  reservation: { readonly amountUsd: number; readonly day: string | undefined },
): Promise<void> {
  if (reservation.day === undefined) return;
  await db.query(
    `with given_back as (
       update ${schema}.spend set reserved_usd = reserved_usd - $3 where tenant = $1 and day = $2
     )
     update ${schema}.tenant set waits_until = null where name = $1 and waits_until is not null`,
    [tenant, reservation.day, reservation.amountUsd],
  );
}

/** What a segment of this tenant will probably cost: the mean of its last ones, 0 if there is none. */
export async function expectedCost(db: Queryable, schema: string, tenant: string): Promise<number> {
  const { rows } = await db.query<{ mean: string | null }>(
    `select round(avg(cost_usd), 10) as mean from (
       select cost_usd from ${schema}.charge where tenant = $1 order by at desc limit 20
     ) as last`,
    [tenant],
  );
  return Number(rows[0]?.mean ?? 0);
}
