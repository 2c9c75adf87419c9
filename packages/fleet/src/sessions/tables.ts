/**
 * The tables of transcripts, leases and tool intents. `$SCHEMA` is replaced with the quoted name of the schema.
 *
 * What the CLI and the model write is kept as `text`, because `jsonb` refuses `\u0000`.
 */
export const SESSIONS_TABLES: string = `
create table $SCHEMA.session (
  id uuid primary key,
  tenant text not null default 'default',
  project_key text not null default '',
  -- The fence. Every lease adds one, and a write that names an older epoch is refused.
  epoch bigint not null default 0,
  holder text,
  -- Null: nobody has the session. The past: its holder was silent for too long.
  expires_at timestamptz,
  next_seq bigint not null default 0,
  title text,
  -- The time of the last entry of the main transcript; null as long as there is none.
  mtime timestamptz,
  summary text,
  created_at timestamptz not null default clock_timestamp()
);
create index session_project on $SCHEMA.session (project_key, mtime desc) where mtime is not null;

create table $SCHEMA.entry (
  session_id uuid not null references $SCHEMA.session (id) on delete cascade,
  -- Empty for the main transcript, else the path of a sub-agent's.
  subpath text not null default '',
  seq bigint not null,
  -- The uuid of the entry; for an entry without one, a name that makes the same append repeatable.
  uuid text,
  epoch bigint not null,
  body text not null,
  at timestamptz not null default clock_timestamp(),
  primary key (session_id, subpath, seq)
);
create unique index entry_uuid on $SCHEMA.entry (session_id, subpath, uuid) where uuid is not null;

create table $SCHEMA.intent (
  run_id uuid not null,
  tool_use_id text not null,
  segment int not null,
  epoch bigint not null,
  tool text not null,
  input text not null,
  done boolean not null default false,
  at timestamptz not null default clock_timestamp(),
  primary key (run_id, tool_use_id)
);
create index intent_open on $SCHEMA.intent (run_id) where not done;
`;
