/** The table of workers, for `fleet.stats()`. `$SCHEMA` is replaced with the quoted name of the schema. */
export const WORKER_TABLES: string = `
create table $SCHEMA.host (
  name text primary key,
  slots int not null,
  active int not null default 0,
  queues text not null,
  hawser text not null,
  -- Unknown until the first CLI was started.
  cli text,
  draining boolean not null default false,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);
`;
