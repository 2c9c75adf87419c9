import { HawserError } from "hawser";
import type { Queryable } from "../database/database.js";

/**
 * The session as an append needs it. The row stays locked until the end of the transaction. A lease needs no more than
 * `for no key update`, so that a caller's transaction that submits a run to the session does not stop the running one.
 */
export interface LockedSession {
  readonly epoch: number;
  readonly nextSeq: number;
  readonly summary: string | null;
}

/** Locks a session that this host has the lease of. Rejects with `lease_lost` if somebody else took it. */
export async function lockLeased(
  db: Queryable,
  schema: string,
  sessionId: string,
  epoch: number,
): Promise<LockedSession> {
  const { rows } = await db.query<Row>(
    `select epoch, next_seq, summary from ${schema}.session where id = $1 and epoch = $2 for no key update`,
    [sessionId, epoch],
  );
  const [row] = rows;
  if (row === undefined) throw leaseLost(sessionId, epoch);
  return lockedOf(row);
}

/**
 * Locks a session for a write without a lease, and makes it if it does not exist. Rejects with `session_in_use`
 * while somebody holds the lease, and while a run of the session runs or waits for a person: a call that is parked
 * would not be found again behind other entries. A lease that is over is taken away for good, because its holder may be frozen
 * and would otherwise write between the entries of this program.
 */
export async function lockFree(
  db: Queryable,
  schema: string,
  sessionId: string,
  projectKey: string,
): Promise<LockedSession> {
  await db.query(
    `insert into ${schema}.session (id, project_key) values ($1, $2) on conflict (id) do nothing`,
    [sessionId, projectKey],
  );
  const { rows } = await db.query<Row>(
    `select epoch, next_seq, summary, holder, expires_at is not null as leased,
       coalesce(expires_at > clock_timestamp(), false) as held
     from ${schema}.session where id = $1 for update`,
    [sessionId],
  );
  const [row] = rows;
  if (row === undefined) throw new HawserError("session_not_found", undefined, { sessionId });
  if (row.held) throw sessionInUse(sessionId, row.holder);
  // After the lock, so that the settle that parks a run is seen.
  const busy = await db.query<{ holder: string }>(
    `select 'a run that ' || case state when 'waiting' then 'waits for a person' else 'is not settled' end
       || ': ' || id as holder
     from ${schema}.run where session_id = $1 and state in ('running', 'waiting')`,
    [sessionId],
  );
  if (busy.rows[0] !== undefined) throw sessionInUse(sessionId, busy.rows[0].holder);
  if (!row.leased) return lockedOf(row);
  const taken = await db.query<Row>(
    `update ${schema}.session set epoch = epoch + 1, holder = null, expires_at = null where id = $1
     returning epoch, next_seq, summary`,
    [sessionId],
  );
  return lockedOf(taken.rows[0] ?? row);
}

/** bigint columns arrive as text. */
interface Row {
  readonly epoch: string;
  readonly next_seq: string;
  readonly summary: string | null;
  readonly holder: string | null;
  readonly leased: boolean;
  readonly held: boolean;
}

function lockedOf({ epoch, next_seq, summary }: Row): LockedSession {
  return { epoch: Number(epoch), nextSeq: Number(next_seq), summary };
}

export function leaseLost(sessionId: string, epoch: number): HawserError {
  return new HawserError(
    "lease_lost",
    `Another host has the session ${sessionId}: the lease number ${epoch} is over.`,
    { sessionId },
  );
}

export function sessionInUse(sessionId: string, holder: string | null): HawserError {
  const by = holder === null ? "another program" : holder;
  return new HawserError("session_in_use", `The session ${sessionId} is in use by ${by}.`, {
    sessionId,
    hint: "Wait for it with `sessionStore.take(id, { waitMs })`, or submit a run for the session: it gets its turn.",
  });
}
