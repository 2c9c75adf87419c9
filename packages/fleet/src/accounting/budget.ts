import type { Queryable } from "../database/database.js";

/** What a tenant's budgets say now. */
export interface BudgetState {
  /** What the budgets leave, reservations taken off. Undefined without a budget. */
  readonly leftUsd: number | undefined;
  /** The budget that is spent, reservations not counted. */
  readonly spent: "day" | "month" | "total" | undefined;
  readonly onBudget: "refuse" | "wait";
}

/** The state of a tenant without budgets. */
export const NO_BUDGET: BudgetState = { leftUsd: undefined, spent: undefined, onBudget: "refuse" };

interface BudgetRow {
  readonly on_budget: "refuse" | "wait";
  readonly day_usd: string | null;
  readonly month_usd: string | null;
  readonly total_usd: string | null;
  readonly day_spent: string;
  readonly month_spent: string;
  readonly total_spent: string;
  readonly reserved: string;
}

/** The end of a period, as SQL: when a tenant whose budget is spent may go on. */
export const PERIOD_END: Readonly<Record<"day" | "month" | "total", string>> = {
  day: "(date_trunc('day', clock_timestamp() at time zone 'utc') + interval '1 day') at time zone 'utc'",
  month:
    "(date_trunc('month', clock_timestamp() at time zone 'utc') + interval '1 month') at time zone 'utc'",
  total: "'infinity'",
};

const SOON = "clock_timestamp() + interval '2 seconds'";

/** Compares what a tenant has spent and reserved with its budgets. Days and months are UTC. */
export async function readBudget(
  db: Queryable,
  schema: string,
  tenant: string,
): Promise<BudgetState> {
  const { rows } = await db.query<BudgetRow>(
    `with today as (select (clock_timestamp() at time zone 'utc')::date as day)
     select tenant.on_budget, tenant.day_usd, tenant.month_usd, tenant.total_usd,
       coalesce(sum(spend.cost_usd) filter (where spend.day = today.day), 0) as day_spent,
       coalesce(sum(spend.cost_usd) filter (where spend.day >= date_trunc('month', today.day)), 0) as month_spent,
       coalesce(sum(spend.cost_usd), 0) as total_spent,
       (select coalesce(sum(run.reserved_usd), 0) from ${schema}.run
        where run.tenant = tenant.name and run.state = 'running') as reserved
     from ${schema}.tenant cross join today
     left join ${schema}.spend on spend.tenant = tenant.name
       and (tenant.total_usd is not null or spend.day >= date_trunc('month', today.day))
     where tenant.name = $1
       and (tenant.day_usd is not null or tenant.month_usd is not null or tenant.total_usd is not null)
     group by tenant.name`,
    [tenant],
  );
  const [row] = rows;
  if (row === undefined) return NO_BUDGET;
  const periods = (
    [
      ["total", row.total_usd, row.total_spent],
      ["month", row.month_usd, row.month_spent],
      ["day", row.day_usd, row.day_spent],
    ] as const
  ).flatMap(([name, budget, spent]) =>
    budget === null ? [] : [{ name, left: Number(budget) - Number(spent) }],
  );
  return {
    leftUsd: Math.min(...periods.map(({ left }) => left)) - Number(row.reserved),
    // The longest period comes first: a tenant whose month is spent does not go on tomorrow.
    spent: periods.find(({ left }) => left <= 0)?.name,
    onBudget: row.on_budget,
  };
}

/**
 * Claims pass the tenant over until the period is over, or until money is given back. If all money is only reserved,
 * they look again soon: a reservation that is given back at this very moment cannot see that somebody begins to wait.
 */
export async function waitForBudget(
  db: Queryable,
  schema: string,
  tenant: string,
  { spent }: BudgetState,
): Promise<void> {
  await db.query(
    `update ${schema}.tenant set waits_until = ${spent === undefined ? SOON : PERIOD_END[spent]} where name = $1`,
    [tenant],
  );
}
