/**
 * The tables of conversations. `$SCHEMA` is replaced with the quoted name of the schema.
 *
 * What users and the model write is kept as JSON in `text`, because neither `text` nor `jsonb` takes U+0000.
 */
export const CONVERSATIONS_TABLES: string = `
create table $SCHEMA.conversation (
  id uuid primary key default gen_random_uuid(),
  channel text not null,
  user_name text not null,
  project text not null default '',
  tenant text not null,
  -- The session that the next message continues. Null: the next message begins a new one.
  session_id uuid,
  -- The run that writes the summary of the session, as long as it is not settled.
  summary_run uuid,
  next_seq bigint not null default 1,
  idle_ms bigint not null,
  -- When the session is closed unless a message comes before. Null: there is no session, or it is being closed.
  closes_at timestamptz,
  -- Profile and options of the last message as JSON: the summary is written with the same.
  options text not null,
  created_at timestamptz not null default clock_timestamp(),
  unique (channel, user_name, project)
);
create index conversation_due on $SCHEMA.conversation (closes_at) where closes_at is not null;
create index conversation_closing on $SCHEMA.conversation (summary_run) where summary_run is not null;

create table $SCHEMA.conversation_message (
  conversation_id uuid not null references $SCHEMA.conversation (id) on delete cascade,
  seq bigint not null,
  session_id uuid not null,
  role text not null check (role in ('user', 'assistant', 'summary')),
  -- The caller's id of a message of the user, so that a message that is sent twice counts once.
  message_id text,
  -- The run that answers a message of the user, or that wrote the answer or the summary.
  run_id uuid,
  -- For an answer: the number of the message that it answers.
  answers bigint,
  -- For a message of the user: whether its answer is stored; "none" if its run ended without one.
  answer text check (answer in ('pending', 'stored', 'none')),
  body text not null,
  -- The words of the text, cut and folded by the program so that every language is searched alike.
  words tsvector not null,
  at timestamptz not null default clock_timestamp(),
  primary key (conversation_id, seq)
);
create unique index conversation_message_id on $SCHEMA.conversation_message (conversation_id, message_id)
  where message_id is not null;
create index conversation_message_run on $SCHEMA.conversation_message (run_id);
create index conversation_message_pending on $SCHEMA.conversation_message (run_id) where answer = 'pending';
create index conversation_message_unanswered on $SCHEMA.conversation_message (conversation_id)
  where answer in ('pending', 'none');
create index conversation_message_words on $SCHEMA.conversation_message using gin (words);
`;
