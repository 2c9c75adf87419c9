import { setTimeout as delay } from "node:timers/promises";
import { HawserError } from "hawser";
import type { Database, Queryable } from "../database/database.js";
import type { SessionLease, TakeOptions } from "./fleet-sessions.js";
import { LeaseClock } from "./lease-clock.js";
import { RenewedLease } from "./renewed-lease.js";
import { checkSessionId } from "./session-id.js";
import { sessionInUse } from "./session-row.js";

export interface TakeParts {
  readonly database: Database;
  readonly leaseMs: number;
  readonly holder: string;
}

/** Takes the lease of a session, or waits for it. */
export async function takeSession(
  parts: TakeParts,
  sessionId: string,
  { waitMs = 0, signal, tenant = "default" }: TakeOptions,
): Promise<SessionLease> {
  checkSessionId(sessionId);
  if (!(waitMs >= 0)) {
    throw new HawserError("invalid_options", "waitMs must be a number from 0.", {
      issues: [{ path: "waitMs", message: `is not a number from 0: ${String(waitMs)}` }],
    });
  }
  const until = performance.now() + waitMs;
  for (;;) {
    throwIfAborted(signal);
    const askedAt = LeaseClock.now();
    const epoch = await tryTake(parts, sessionId, tenant);
    if (epoch !== undefined) return new RenewedLease(parts, { sessionId, epoch }, askedAt);
    const restMs = until - performance.now();
    if (restMs <= 0) throw sessionInUse(sessionId, await holderOf(parts.database, sessionId));
    await delay(Math.min(restMs, POLL_MS), undefined, { signal }).catch(() => {}); // Asked above.
  }
}

/** A lease that is given back is taken by the next one after half of this time on average. */
const POLL_MS = 250;

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new HawserError("aborted", "The waiting for the session was aborted.", {
    reason: signal.reason,
  });
}

/** The new epoch; undefined if somebody has the session. */
async function tryTake(
  { database, leaseMs, holder }: TakeParts,
  sessionId: string,
  tenant: string,
): Promise<number | undefined> {
  const { schema } = database;
  const { rows } = await database.query<{ epoch: string }>(
    `insert into ${schema}.session as s (id, tenant, epoch, holder, expires_at)
     values ($1, $2, 1, $3, clock_timestamp() + $4 * interval '1 millisecond')
     on conflict (id) do update set epoch = s.epoch + 1, holder = excluded.holder,
       expires_at = excluded.expires_at
     where (s.expires_at is null or s.expires_at <= clock_timestamp())
       and not exists (select 1 from ${schema}.run where session_id = s.id and state in ('running', 'waiting'))
     returning epoch`,
    [sessionId, tenant, holder, leaseMs],
  );
  const [row] = rows;
  return row === undefined ? undefined : Number(row.epoch);
}

async function holderOf(db: Queryable & { schema: string }, sessionId: string) {
  const { rows } = await db.query<{ holder: string | null }>(
    `select coalesce(
       (select 'a run that waits for a person: ' || id from ${db.schema}.run
         where session_id = $1 and state = 'waiting'),
       (select holder from ${db.schema}.session where id = $1)) as holder`,
    [sessionId],
  );
  return rows[0]?.holder ?? null;
}
