/**
 * The tables of the runs. JSON of users and models is `text`, because `jsonb` refuses the character U+0000.
 *
 * - `number` gives runs an order: creation times of one moment are equal.
 * - `is_put_back`: the run was far behind the clock of its queue and got a tag at the clock.
 * - `next_how` says how the next segment begins (`Claim.how`).
 * - `reserved_usd` and `reserved_on` are the reservation of the running segment, and the day in `spend` that carries it.
 * - The index `run_current` holds the promise that a session has at most one run that is not held and not settled.
 * - Rows have room for updates in place, because every event updates `next_event`.
 */
export const RUNS_TABLES: string = `
create table $SCHEMA.run (
  id uuid primary key,
  number bigint generated always as identity unique,
  tenant text not null,
  key text,
  profile text not null,
  queue text not null,
  state text not null
    check (state in ('queued', 'held', 'running', 'waiting', 'done', 'failed', 'cancelled')),
  request text not null,
  request_hash text not null,
  session_id uuid not null,
  fork_of uuid,
  job_id uuid,
  priority smallint not null check (priority between -1 and 1),
  tag bigint not null,
  is_put_back bool not null default false,
  segment int not null default 0,
  next_how text not null default 'new' check (next_how in ('new', 'recovered', 'answered', 'returned')),
  deaths int not null default 0,
  max_attempts int not null,
  epoch bigint,
  host text,
  account text,
  budget_usd numeric,
  reserved_usd numeric not null default 0,
  reserved_on date,
  cost_usd numeric not null default 0,
  cost_estimated bool not null default false,
  next_event bigint not null default 1,
  cancel_requested_at timestamptz,
  cancel_reason text,
  outcome text,
  error text,
  metadata text not null,
  start_after timestamptz,
  deadline timestamptz,
  timeout_ms bigint,
  worked_ms bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  unique (tenant, key)
) with (fillfactor = 80);

create unique index run_current on $SCHEMA.run (session_id) where state in ('queued', 'running', 'waiting');
create index run_held on $SCHEMA.run (session_id, number) where state = 'held';
create index run_session on $SCHEMA.run (session_id, number);
create index run_fork on $SCHEMA.run (fork_of) where fork_of is not null;
create index run_running on $SCHEMA.run (tenant, account) where state = 'running';
create index run_account on $SCHEMA.run (account) where state = 'running';
create index run_queued on $SCHEMA.run (queue, tenant) where state = 'queued';
create index run_deadline on $SCHEMA.run (deadline) where deadline is not null and ended_at is null;
create index run_ended on $SCHEMA.run (ended_at) where ended_at is not null;
create index run_tenant on $SCHEMA.run (tenant, number);
create index run_state on $SCHEMA.run (state, number);

create table $SCHEMA.segment (
  run_id uuid not null,
  segment int not null,
  epoch bigint not null,
  host text not null,
  how text not null,
  began_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  "end" text check ("end" in ('done', 'failed', 'cancelled', 'parked', 'returned', 'lost')),
  usage text,
  primary key (run_id, segment)
) with (fillfactor = 80);

create table $SCHEMA.event (
  run_id uuid not null,
  seq bigint not null,
  type text not null,
  data text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (run_id, seq)
);
create index event_text on $SCHEMA.event (run_id) where type = 'text';
`;
