/**
 * The tables of money, limits and the fair order. Amounts are `numeric`, so that sums are exact. Days are UTC.
 *
 * - `tenant.waits_until`: the tenant's budget is spent or reserved; claims pass it over until then. Cleared when a
 *   reservation is given back or the limits change.
 * - `lane.tag`: the tag that the next run of this tenant gets at the earliest, for each queue and priority level.
 *   `lane.late`: the same for runs that are put back to the clock, see `takeLateTags()`.
 * - `clock.v`: the tag that was served last. `clock.base`: the tag that ranks are counted from. `clock.analyzed_at`:
 *   when a slow claim refreshed the statistics of the tables.
 */
export const ACCOUNTING_TABLES: string = `
create table $SCHEMA.tenant (
  name text primary key,
  account text not null default 'default',
  concurrency int,
  weight double precision not null default 1,
  day_usd numeric,
  month_usd numeric,
  total_usd numeric,
  on_budget text not null default 'refuse' check (on_budget in ('refuse', 'wait')),
  paused bool not null default false,
  waits_until timestamptz
);

create index tenant_blocked on $SCHEMA.tenant (name) where paused or waits_until is not null;
create index tenant_limited on $SCHEMA.tenant (name) where concurrency is not null;
create index tenant_account on $SCHEMA.tenant (account);

create table $SCHEMA.account (
  name text primary key,
  concurrency int,
  paused_until timestamptz,
  reason text
);

create table $SCHEMA.lane (
  queue text not null,
  priority smallint not null,
  tenant text not null,
  tag bigint not null,
  late bigint not null default 0,
  primary key (queue, priority, tenant)
) with (fillfactor = 80);

create table $SCHEMA.clock (
  queue text not null,
  priority smallint not null,
  v bigint not null default 0,
  base bigint not null default 0,
  analyzed_at timestamptz,
  primary key (queue, priority)
) with (fillfactor = 50);

create table $SCHEMA.charge (
  run_id uuid not null,
  segment int not null,
  tenant text not null,
  account text not null,
  model text,
  cost_usd numeric not null,
  estimated bool not null,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cache_read_tokens bigint not null default 0,
  cache_write_tokens bigint not null default 0,
  requests int not null default 0,
  at timestamptz not null default clock_timestamp(),
  primary key (run_id, segment)
);
create index charge_tenant on $SCHEMA.charge (tenant, at);
create index charge_model on $SCHEMA.charge (model, at) where not estimated;

create table $SCHEMA.spend (
  tenant text not null,
  day date not null,
  cost_usd numeric not null default 0,
  estimated_usd numeric not null default 0,
  reserved_usd numeric not null default 0,
  runs int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  primary key (tenant, day)
) with (fillfactor = 80);
${limitFunction()}
`;

/**
 * `blocked_tenants()` is read by every claim, while all others wait. It is a function because Postgres plans its
 * statements once for each connection: observed, planning took longer than running them.
 *
 * A run counts against a limit as long as its lease holds, so that the run of a dead host does not block its own
 * recovery. The leases are looked at only where the number of running runs reaches the limit, and a fleet without
 * limits looks at no run at all.
 */
function limitFunction(): string {
  const full = (table: "tenant" | "account") => `
      select busy.name from (
        select limited.name, limited.concurrency from $SCHEMA.${table} as limited
        join $SCHEMA.run on run.${table} = limited.name and run.state = 'running'
        where limited.concurrency is not null
        group by limited.name, limited.concurrency having count(*) >= limited.concurrency
      ) as busy where busy.concurrency <= (
        select count(*) from $SCHEMA.run join $SCHEMA.session on session.id = run.session_id
        where run.state = 'running' and run.${table} = busy.name
          and session.epoch = run.epoch and session.expires_at > clock_timestamp()
      )`;
  return `
create function $SCHEMA.blocked_tenants() returns setof text language plpgsql as $body$
begin
  return query
    select name from $SCHEMA.tenant
    where (paused or waits_until is not null) and (paused or waits_until > clock_timestamp());
  return query
    select tenant.name from $SCHEMA.account join $SCHEMA.tenant on tenant.account = account.name
    where account.paused_until > clock_timestamp();
  if exists (select 1 from $SCHEMA.tenant where concurrency is not null) then
    return query ${full("tenant")};
  end if;
  if exists (select 1 from $SCHEMA.account where concurrency is not null) then
    return query
      select tenant.name from $SCHEMA.tenant where tenant.account in (${full("account")});
  end if;
end
$body$;`;
}
