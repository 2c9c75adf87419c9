import type { FleetParts } from "../engine/fleet-parts.js";
import { checkName, invalidOption } from "./invalid-option.js";
import { listTenants } from "./list-tenants.js";
import type { AccountLimits, TenantLimits, Tenants } from "./tenants.js";

/** The limits of tenants and accounts, as rows that every claim reads. */
export function createTenants(parts: FleetParts): Tenants {
  return {
    list: () => listTenants(parts),
    set: (tenant, limits) => setTenant(parts, tenant, limits),
    get: (tenant) => getTenant(parts, tenant),
    setAccount: (account, limits) => setAccount(parts, account, limits),
    pauseAccount: (account, until, reason) => pauseAccount(parts, account, until, reason),
  };
}

async function setTenant(
  { database }: FleetParts,
  tenant: string,
  limits: TenantLimits,
): Promise<void> {
  checkTenant(tenant, limits);
  const { day, month, total } = limits.budgetUsd ?? {};
  const columns = definedOnly({
    account: limits.account,
    concurrency: limits.concurrency,
    weight: limits.weight,
    day_usd: day,
    month_usd: month,
    total_usd: total,
    on_budget: limits.onBudget,
    paused: limits.paused,
  });
  await database.transaction(async (db) => {
    // A tenant that waits for money is looked at anew, because its budgets may have changed.
    await upsert(db, `${database.schema}.tenant`, tenant, { ...columns, waits_until: null });
    await database.notify(db, "wake");
  });
}

interface TenantRow {
  readonly account: string;
  readonly concurrency: number | null;
  readonly weight: number;
  readonly day_usd: string | null;
  readonly month_usd: string | null;
  readonly total_usd: string | null;
  readonly on_budget: "refuse" | "wait";
  readonly paused: boolean;
}

async function getTenant({ database }: FleetParts, tenant: string): Promise<TenantLimits> {
  checkName("tenant", tenant);
  const { rows } = await database.query<TenantRow>(
    `select account, concurrency, weight, day_usd, month_usd, total_usd, on_budget, paused
     from ${database.schema}.tenant where name = $1`,
    [tenant],
  );
  const [row] = rows;
  const usd = (amount: string | null | undefined) => (amount == null ? null : Number(amount));
  return {
    account: row?.account ?? "default",
    concurrency: row?.concurrency ?? null,
    weight: row?.weight ?? 1,
    budgetUsd: {
      day: usd(row?.day_usd),
      month: usd(row?.month_usd),
      total: usd(row?.total_usd),
    },
    onBudget: row?.on_budget ?? "refuse",
    paused: row?.paused ?? false,
  };
}

async function setAccount(
  { database }: FleetParts,
  account: string,
  limits: AccountLimits,
): Promise<void> {
  checkName("account", account);
  checkConcurrency(limits.concurrency);
  const columns = definedOnly({
    concurrency: limits.concurrency,
    paused_until: limits.pausedUntil,
    reason: limits.pausedUntil === null ? null : undefined,
  });
  await database.transaction(async (db) => {
    await upsert(db, `${database.schema}.account`, account, columns);
    await database.notify(db, "wake");
  });
}

async function pauseAccount(
  { database }: FleetParts,
  account: string,
  until: Date | number,
  reason: string,
): Promise<void> {
  checkName("account", account);
  // The clocks of hosts may be wrong, and claims compare with the clock of the database.
  const end =
    typeof until === "number" ? "clock_timestamp() + $2 * interval '1 millisecond'" : "$2";
  await database.query(
    `insert into ${database.schema}.account as account (name, paused_until, reason) values ($1, ${end}, $3)
     on conflict (name) do update set paused_until = excluded.paused_until, reason = excluded.reason
     where account.paused_until is null or account.paused_until < excluded.paused_until`,
    [account, until, reason.replaceAll("\0", "")],
  );
}

/** Inserts a row with defaults, or changes the given columns. The names of the columns are ours. */
async function upsert(
  db: { query(text: string, values: unknown[]): Promise<unknown> },
  table: string,
  name: string,
  columns: Readonly<Record<string, unknown>>,
): Promise<void> {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 2}`);
  await db.query(
    `insert into ${table} (${["name", ...names].join(", ")}) values (${["$1", ...places].join(", ")})
     on conflict (name) ${
       names.length === 0
         ? "do nothing"
         : `do update set ${names.map((column) => `${column} = excluded.${column}`).join(", ")}`
     }`,
    [name, ...Object.values(columns)],
  );
}

function definedOnly(columns: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

function checkTenant(tenant: string, limits: TenantLimits): void {
  checkName("tenant", tenant);
  if (limits.account !== undefined) checkName("account", limits.account);
  checkConcurrency(limits.concurrency);
  const { weight, onBudget } = limits;
  if (weight !== undefined && !(weight >= 0.001 && weight <= 1000)) {
    throw invalidOption(
      "weight",
      "is not a number from 0.001 to 1000",
      "1 is the share of a tenant without a weight.",
    );
  }
  if (onBudget !== undefined && onBudget !== "refuse" && onBudget !== "wait") {
    throw invalidOption("onBudget", "is unknown", 'Use "refuse" or "wait".');
  }
  for (const [period, amount] of Object.entries(limits.budgetUsd ?? {})) {
    if (!["day", "month", "total"].includes(period)) {
      throw invalidOption(`budgetUsd.${period}`, "is unknown", "Use day, month or total.");
    }
    if (amount !== null && amount !== undefined && !(Number.isFinite(amount) && amount >= 0)) {
      throw invalidOption(
        `budgetUsd.${period}`,
        "is not an amount",
        "Use dollars, or null for no budget.",
      );
    }
  }
}

function checkConcurrency(concurrency: number | null | undefined): void {
  if (concurrency === undefined || concurrency === null) return;
  if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 1_000_000) return;
  throw invalidOption(
    "concurrency",
    "is not a whole number from 1",
    "Use null for no limit; to let nothing begin, pause the tenant or the account.",
  );
}
