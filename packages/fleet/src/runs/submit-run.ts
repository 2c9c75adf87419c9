import { randomUUID } from "node:crypto";
import { HawserError, type Prompt } from "hawser";
import { readBudget } from "../accounting/budget.js";
import { keepRanks, takeTag, takeTagOfLater } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { endLocked } from "./cancel-run.js";
import { budgetFailure } from "./failures.js";
import { lockSessionQueue } from "./lock-run.js";
import { type RunRequest, readRequest } from "./read-request.js";
import type { SubmitOptions } from "./run.js";
import { RUN_COLUMNS, type RunRow } from "./run-row.js";
import { sendJob } from "./send-job.js";
import { eventColumns } from "./write-events.js";

/** Accepts a run, once for each key of a tenant. Returns its id. */
export async function submitRun(
  parts: FleetParts,
  prompt: Prompt,
  { db, ...options }: SubmitOptions,
): Promise<string> {
  const request = readRequest(prompt, options);
  if (db !== undefined) return await accept(parts, db, request);
  return await parts.database.transaction((own) => accept(parts, own, request));
}

async function accept(parts: FleetParts, db: Queryable, request: RunRequest): Promise<string> {
  const { schema } = parts.database;
  await keepRanks(db, schema);
  // Before the key is looked up: otherwise, of two programs that submit the same key at once, the second one would find
  // the session busy with its own run.
  if (request.session !== undefined) await lockSessionQueue(parts, db, request.session);
  const known = await findByKey(parts, db, request);
  if (known !== undefined) return known;
  await checkBudget(parts, db, request.tenant);
  const id = randomUUID();
  const session = request.session ?? randomUUID();
  const state = await enterSession(parts, db, request, id);
  const isLater = request.startAfter !== undefined && request.startAfter.getTime() > Date.now();
  const { tag, rank } = isLater
    ? await takeTagOfLater(db, schema, request)
    : await takeTag(db, schema, request);
  const isNew = await insertRun(parts, db, { request, id, session, state, tag });
  if (!isNew) {
    // Another program has submitted the same key meanwhile.
    const other = await findByKey(parts, db, request);
    if (other === undefined) throw new HawserError("database_unavailable", KEY_UNDECIDED);
    return other;
  }
  if (state === "queued") {
    const row = { id, session_id: session, start_after: request.startAfter ?? null };
    await sendJob(parts, db, { ...request, ...row }, rank);
  }
  return id;
}

const KEY_UNDECIDED =
  "A transaction that cannot be seen from this one has submitted a run with the same key. Submit it again.";

/** The run that the key stands for. The same key with another request is an error of the caller. */
async function findByKey(
  { database }: FleetParts,
  db: Queryable,
  { tenant, key, hash }: RunRequest,
): Promise<string | undefined> {
  if (key === undefined) return undefined;
  const { rows } = await db.query<{ id: string; request_hash: string }>(
    `select id, request_hash from ${database.schema}.run where tenant = $1 and key = $2`,
    [tenant, key],
  );
  const [known] = rows;
  if (known === undefined || known.request_hash === hash) return known?.id;
  throw new HawserError(
    "invalid_options",
    `The tenant "${tenant}" has submitted the key "${key}" with another request, as run ${known.id}.`,
    {
      hint: "Use another `key` for another request. `startAfter` and `deadline` may differ.",
      issues: [{ path: "key", message: "belongs to another request" }],
    },
  );
}

async function checkBudget({ database }: FleetParts, db: Queryable, tenant: string): Promise<void> {
  const { spent, onBudget } = await readBudget(db, database.schema, tenant);
  if (spent === undefined || onBudget === "wait") return;
  const { code, message, hint = "" } = budgetFailure(tenant, spent);
  throw new HawserError(code, message, { hint });
}

/** Whether the run may be queued, or must wait for the runs that its session has. The session's queue is locked. */
async function enterSession(
  parts: FleetParts,
  db: Queryable,
  request: RunRequest,
  id: string,
): Promise<"queued" | "held"> {
  const continued = request.session ?? request.forkOf;
  if (continued === undefined) return "queued";
  await checkSession(parts, db, request.tenant, continued);
  if (request.session === undefined) return "queued";
  const { rows } = await db.query<RunRow>(
    // Held runs come first: none of them must be queued because the one before it ends.
    `select ${RUN_COLUMNS} from ${parts.database.schema}.run
     where session_id = $1 and ended_at is null order by state = 'held' desc, number desc
     ${request.onBusySession === "interrupt" ? "for update" : ""}`,
    [request.session],
  );
  if (rows.length === 0) return "queued";
  if (request.onBusySession === "reject") throw sessionBusy(request.session, rows);
  if (request.onBusySession === "queue") return "held";
  const why = { type: "cancelled", reason: `the run ${id} interrupted it` } as const;
  let state: "queued" | "held" = "queued";
  for (const run of rows) {
    if ((await endLocked(parts, db, run, why)) === "requested") state = "held";
  }
  return state;
}

async function checkSession(
  { database }: FleetParts,
  db: Queryable,
  tenant: string,
  session: string,
): Promise<void> {
  // Locked, so that `prune()` does not delete the session before the run that continues it can be seen.
  const { rows } = await db.query<{ tenant: string }>(
    `select tenant from ${database.schema}.session where id = $1 for key share`,
    [session],
  );
  if (rows[0]?.tenant === tenant) return;
  // The session of another tenant is treated as if it did not exist.
  throw new HawserError(
    "session_not_found",
    `The tenant "${tenant}" has no session ${session} in this database.`,
    { sessionId: session, hint: "Leave `session` out for a new one." },
  );
}

function sessionBusy(session: string, runs: readonly RunRow[]): HawserError {
  return new HawserError(
    "session_in_use",
    `The session ${session} has a run that is not settled: ${runs.map(({ id }) => id).join(", ")}.`,
    { sessionId: session, hint: 'Use `onBusySession: "queue"` or "interrupt", or wait for it.' },
  );
}

interface NewRun {
  readonly request: RunRequest;
  readonly id: string;
  readonly session: string;
  readonly state: "queued" | "held";
  readonly tag: number;
}

/** False if the key of the run exists. */
async function insertRun(
  { database }: FleetParts,
  db: Queryable,
  { request, id, session, state, tag }: NewRun,
): Promise<boolean> {
  const { schema } = database;
  const [[type], [data]] = eventColumns([{ type: state }]);
  const { rowCount } = await db.query(
    `with run as (
       insert into ${schema}.run (id, tenant, key, profile, queue, state, request, request_hash, session_id, fork_of,
         priority, tag, max_attempts, budget_usd, metadata, start_after, deadline, timeout_ms, next_event)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 2)
       on conflict (tenant, key) do nothing
       returning id, tenant, session_id
     ), tenant as (
       insert into ${schema}.tenant (name) select tenant from run on conflict do nothing
     ), session as (
       insert into ${schema}.session (id, tenant) select session_id, tenant from run on conflict do nothing
     )
     insert into ${schema}.event (run_id, seq, type, data) select id, 1, $19, $20 from run`,
    [
      id,
      request.tenant,
      request.key ?? null,
      request.profile,
      request.queue,
      state,
      request.request,
      request.hash,
      session,
      request.forkOf ?? null,
      request.priority,
      tag,
      request.attempts,
      request.budgetUsd ?? null,
      request.metadata,
      request.startAfter ?? null,
      request.deadline ?? null,
      request.timeoutMs ?? null,
      type,
      data,
    ],
  );
  return (rowCount ?? 0) > 0;
}
