import { ranksKey } from "../accounting/fair-order.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { RUN_COLUMNS, type RunRow } from "./run-row.js";

/**
 * Locks a run for the transaction.
 *
 * All transactions lock in one order, so that no two wait for each other: ranks (`keepRanks()`), queue of the
 * session, job, session, run, approval, lane, spend. A claim comes to the queue of a session after the job; it tries, and
 * gives the job back if it would have to wait.
 */
export async function lockRun(
  { database }: FleetParts,
  db: Queryable,
  run: string,
): Promise<RunRow | undefined> {
  const { rows } = await db.query<RunRow>(
    `select ${RUN_COLUMNS} from ${database.schema}.run where id = $1 for update`,
    [run],
  );
  return rows[0];
}

/**
 * Locks the queue of a session for the transaction: another one that adds a run to the session or ends one waits. The
 * lock is no row, because the heartbeats of a running segment must not wait for a caller's transaction.
 */
export async function lockSessionQueue(
  { database }: FleetParts,
  db: Queryable,
  session: string,
): Promise<void> {
  await db.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
    `hawser session ${database.schema} ${session}`,
  ]);
}

/** `keepRanks()` and `lockSessionQueue()` in one statement, for transactions that end or queue runs of a session. */
export async function lockRanksAndQueue(
  { database }: FleetParts,
  db: Queryable,
  session: string,
): Promise<void> {
  await db.query(
    `select pg_advisory_xact_lock_shared(hashtextextended($1, 0)),
       pg_advisory_xact_lock(hashtextextended($2, 0))`,
    [ranksKey(database.schema), `hawser session ${database.schema} ${session}`],
  );
}

/** Locks the queue of a session if no other transaction has it. */
export async function tryLockSessionQueue(
  { database }: FleetParts,
  db: Queryable,
  session: string,
): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked",
    [`hawser session ${database.schema} ${session}`],
  );
  return rows[0]?.locked === true;
}
