/**
 * The tables of questions. `$SCHEMA` is replaced with the quoted name of the schema.
 *
 * What the model or a person writes is kept as `text`, because `jsonb` refuses `\u0000`.
 */
export const APPROVALS_TABLES: string = `
create table $SCHEMA.approval (
  id uuid primary key default gen_random_uuid(),
  run_id uuid not null references $SCHEMA.run (id) on delete cascade,
  -- Null for a question of an MCP server, which has no tool call, and for one whose call was asked about again with
  -- another input.
  tool_use_id text,
  tenant text not null,
  session_id uuid not null,
  -- The epoch of the segment that asks.
  epoch bigint not null,
  -- The core's Approval as JSON.
  question text not null,
  state text not null default 'open'
    check (state in ('open', 'answered', 'expired', 'withdrawn', 'granted')),
  -- The core's ApprovalDecision as JSON.
  decision text,
  answered_by text,
  -- What a decision with the scope "session" covers: the hash of the call. Null: the call can only be allowed once.
  covers text,
  -- Whether the decision had the scope "session".
  is_grant boolean not null default false,
  -- For the state "granted": the question whose answer allowed this call.
  granted_by uuid,
  asked_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  settled_at timestamptz,
  unique (run_id, tool_use_id)
);
create index approval_open on $SCHEMA.approval (asked_at) where state = 'open';
create index approval_due on $SCHEMA.approval (expires_at) where state = 'open' and expires_at is not null;
create index approval_grant on $SCHEMA.approval (session_id, covers) where is_grant;
create index approval_call on $SCHEMA.approval (session_id, tool_use_id);
create index approval_settled on $SCHEMA.approval (settled_at) where settled_at is not null;

-- Every change of a question, numbered in the order in which the transactions commit: a reader that has seen the
-- number n has missed none before it. The number is taken at the end of each transaction, by a deferred trigger,
-- so that its row is the last one that is locked and no two transactions wait for each other.
create table $SCHEMA.approval_change (
  seq bigint primary key,
  approval_id uuid not null references $SCHEMA.approval (id) on delete cascade,
  state text not null
);
create index approval_change_of on $SCHEMA.approval_change (approval_id);
create table $SCHEMA.approval_clock (seq bigint not null);
insert into $SCHEMA.approval_clock (seq) values (0);

create function $SCHEMA.number_approval_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'UPDATE' and old.state = new.state then
    return null;
  end if;
  with next as (update $SCHEMA.approval_clock set seq = seq + 1 returning seq)
  insert into $SCHEMA.approval_change (seq, approval_id, state) select seq, new.id, new.state from next;
  return null;
end
$body$;
create constraint trigger approval_changed after insert or update of state on $SCHEMA.approval
  deferrable initially deferred for each row execute function $SCHEMA.number_approval_change();
`;
