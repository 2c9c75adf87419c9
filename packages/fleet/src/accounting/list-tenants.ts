import type { FleetParts } from "../engine/fleet-parts.js";
import type { TenantState } from "./tenants.js";

interface StateRow {
  readonly tenant: string;
  readonly queued: number;
  readonly held: number;
  readonly running: number;
  readonly waiting: number;
  readonly account: string | null;
  readonly concurrency: number | null;
  readonly weight: number | null;
  readonly day_usd: string | null;
  readonly month_usd: string | null;
  readonly total_usd: string | null;
  readonly on_budget: "refuse" | "wait" | null;
  readonly paused: boolean | null;
  readonly waits_until: Date | null;
  readonly spent_day: string;
  readonly spent_month: string;
  readonly spent_total: string;
  readonly reserved: string;
}

/** The tenants that have limits, runs that have not ended, or have spent money; in the order of their names. */
export async function listTenants({ database }: FleetParts): Promise<TenantState[]> {
  const { schema } = database;
  const { rows } = await database.query<StateRow>(
    `with open as (
       select tenant, count(*) filter (where state = 'queued')::int as queued,
         count(*) filter (where state = 'held')::int as held,
         count(*) filter (where state = 'running')::int as running,
         count(*) filter (where state = 'waiting')::int as waiting
       from ${schema}.run where state in ('queued', 'held', 'running', 'waiting') group by tenant
     ), today as (
       select (clock_timestamp() at time zone 'utc')::date as day
     ), spent as (
       select tenant, coalesce(sum(cost_usd) filter (where spend.day = today.day), 0) as spent_day,
         coalesce(sum(cost_usd) filter (where spend.day >= date_trunc('month', today.day::timestamp)::date), 0) as spent_month,
         sum(cost_usd) as spent_total, sum(reserved_usd) as reserved
       from ${schema}.spend, today group by tenant
     ), names as (
       select name from ${schema}.tenant union select tenant from open union select tenant from spent
     )
     select names.name as tenant, coalesce(queued, 0) as queued, coalesce(held, 0) as held,
       coalesce(running, 0) as running, coalesce(waiting, 0) as waiting, account, concurrency, weight,
       day_usd, month_usd, total_usd, on_budget, paused,
       case when waits_until > clock_timestamp() then waits_until end as waits_until,
       coalesce(spent_day, 0) as spent_day, coalesce(spent_month, 0) as spent_month,
       coalesce(spent_total, 0) as spent_total, coalesce(reserved, 0) as reserved
     from names left join ${schema}.tenant on tenant.name = names.name
       left join open on open.tenant = names.name left join spent on spent.tenant = names.name
     order by names.name limit ${MOST_TENANTS}`,
  );
  return rows.map(stateOf);
}

const MOST_TENANTS = 1000;

function stateOf(row: StateRow): TenantState {
  const { tenant, queued, held, running, waiting, waits_until } = row;
  return {
    tenant,
    runs: { queued, held, running, waiting },
    limits: {
      account: row.account ?? "default",
      concurrency: row.concurrency,
      weight: row.weight ?? 1,
      budgetUsd: {
        day: dollarsIn(row.day_usd),
        month: dollarsIn(row.month_usd),
        total: dollarsIn(row.total_usd),
      },
      onBudget: row.on_budget ?? "refuse",
      paused: row.paused ?? false,
    },
    spentUsd: {
      day: Number(row.spent_day),
      month: Number(row.spent_month),
      total: Number(row.spent_total),
    },
    reservedUsd: Number(row.reserved),
    ...(waits_until === null ? {} : { waitsUntil: waits_until }),
  };
}

function dollarsIn(amount: string | null): number | null {
  return amount === null ? null : Number(amount);
}
