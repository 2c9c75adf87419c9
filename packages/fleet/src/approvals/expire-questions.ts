import { refusalOf } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunRow } from "../runs/run-row.js";
import { queueAnswered } from "../runs/send-job.js";
import { type ApprovalRow, toApproval } from "./approval-row.js";
import { endQuestion, lockQuestion } from "./end-question.js";

/**
 * Denies the questions whose time is over, so that their runs go on. No timer of one program has to survive for
 * this: every program that looks at questions does it, and workers do it every second.
 *
 * @returns how many questions have expired in this call
 */
export async function expireQuestions(parts: FleetParts): Promise<number> {
  let count = 0;
  for (;;) {
    const expired = await expireSome(parts);
    count += expired;
    // Another program may have kept some of them from this one. It goes on with the rest in the same way.
    if (expired === 0) return count;
  }
}

async function expireSome(parts: FleetParts): Promise<number> {
  const { database } = parts;
  const { rows } = await database.query<{ id: string }>(
    `select id from ${database.schema}.approval
     where state = 'open' and expires_at <= clock_timestamp() order by expires_at limit ${AT_ONCE}`,
  );
  let count = 0;
  // One transaction each, because a transaction must not hold the locks of several runs.
  for (const { id } of rows) {
    const hasExpired = await database.transaction(async (db) => {
      if (!(await tryLockRun(parts, db, id))) return false;
      const locked = await lockQuestion(parts, db, id);
      return locked !== undefined && (await expireIfDue(parts, db, locked));
    });
    if (hasExpired) count += 1;
  }
  return count;
}

const AT_ONCE = 100;

/**
 * Locks the run of a question if no other transaction has it. That of a caller may take long, and all who look at
 * questions would wait for it.
 */
async function tryLockRun(
  { database }: FleetParts,
  db: Queryable,
  question: string,
): Promise<boolean> {
  const { schema } = database;
  const { rows } = await db.query(
    `select 1 from ${schema}.run where id = (select run_id from ${schema}.approval where id = $1)
     for update skip locked`,
    [question],
  );
  return rows.length > 0;
}

/** Ends a question that the transaction has locked with its run, if its time is over. */
export async function expireIfDue(
  parts: FleetParts,
  db: Queryable,
  { question, run }: { readonly question: ApprovalRow; readonly run: RunRow },
): Promise<boolean> {
  if (question.state !== "open" || question.expires_at === null) return false;
  const { rows } = await db.query<{ is_due: boolean }>(
    "select $1::timestamptz <= clock_timestamp() as is_due",
    [question.expires_at],
  );
  if (rows[0]?.is_due !== true) return false;
  const message = expiryMessage(question.expires_at.getTime() - question.asked_at.getTime());
  const decision = refusalOf(toApproval(question), message);
  await endQuestion(parts, db, question, { state: "expired", decision });
  await queueAnswered(parts, db, run);
  return true;
}

/** What the model reads. */
function expiryMessage(ms: number): string {
  const time = ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
  return `Nobody answered this request for approval within ${time}, so it was denied. Do not repeat it unless the user asks for it.`;
}
