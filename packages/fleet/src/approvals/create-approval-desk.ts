import { setTimeout as delay } from "node:timers/promises";
import { type ApprovalDecision, isHawserError } from "hawser";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim } from "../runs/claims.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toDecision } from "./approval-row.js";
import { decisionOf, endQuestion, lockQuestion } from "./end-question.js";
import { expireQuestions } from "./expire-questions.js";
import type { ApprovalDesk, KnownQuestion } from "./fleet-approvals.js";
import { NotificationWaiter } from "./notification-waiter.js";
import { lockClaim, openQuestion } from "./open-question.js";

/** What a worker does with the questions of its runs. */
export function createApprovalDesk(parts: FleetParts): ApprovalDesk {
  return {
    open: async (claim, question, options) => {
      const row = await openQuestion(parts, claim, question, options);
      return {
        id: row.id,
        wait: (waitMs, signal) =>
          row.state === "open"
            ? waitForAnswer(parts, row, waitMs, signal)
            : Promise.resolve(decisionOf(row)),
      };
    },
    answerOf: async (run, toolUseId) => (await readQuestion(parts, run, toolUseId))?.decision,
    questionOf: (run, toolUseId) => readQuestion(parts, run, toolUseId),
    withdraw: (claim, id) => withdrawQuestion(parts, claim, id),
    beginSegment: (claim, { keep = [] } = {}) => withdrawEarlier(parts, claim, keep),
    expireDue: () => expireQuestions(parts),
  };
}

/** Undefined if the time is over or the signal aborts first. */
async function waitForAnswer(
  parts: FleetParts,
  { id, run_id }: ApprovalRow,
  waitMs: number,
  signal: AbortSignal,
): Promise<ApprovalDecision | undefined> {
  const until = performance.now() + waitMs;
  const notified = await openWaiter(parts, run_id);
  try {
    for (;;) {
      const row = await readSettled(parts, id);
      if (row !== undefined) return decisionOf(row);
      const leftMs = until - performance.now();
      if (signal.aborted || leftMs <= 0) return undefined;
      await notified.wait(Math.min(leftMs, POLL_MS), signal);
    }
  } finally {
    notified.close();
  }
}

/** In case that a notification is lost, and for a question that expires. */
const POLL_MS = 1000;

/**
 * Without notifications while the database is away or its connection for them is silent: a call is not denied because
 * of it, and the table is asked.
 */
async function openWaiter(parts: FleetParts, run: string): Promise<NotificationWaiter> {
  const opening = NotificationWaiter.open(parts.database, "approval", run);
  const limit = new AbortController();
  try {
    const late = delay(OPEN_LIMIT_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    const opened = await Promise.race([opening, late]);
    if (opened !== undefined) return opened;
    opening.then(
      (waiter) => waiter.close(),
      () => undefined,
    );
  } catch (error) {
    if (!isAway(error)) throw error;
  } finally {
    limit.abort();
  }
  return new NotificationWaiter();
}

/** How long the first look at the table may wait until notifications arrive. */
const OPEN_LIMIT_MS = 1000;

function isAway(error: unknown): boolean {
  return isHawserError(error, "database_unavailable") && error.retryable;
}

/** Undefined while the question is open, and while the database is away for a moment. */
async function readSettled(parts: FleetParts, id: string): Promise<ApprovalRow | undefined> {
  try {
    await expireQuestions(parts);
    const { rows } = await parts.database.query<ApprovalRow>(
      `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a where a.id = $1 and a.state <> 'open'`,
      [id],
    );
    return rows[0];
  } catch (error) {
    if (isAway(error)) return undefined;
    throw error;
  }
}

async function readQuestion(
  parts: FleetParts,
  run: string,
  toolUseId: string,
): Promise<KnownQuestion | undefined> {
  await expireQuestions(parts);
  const { rows } = await parts.database.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a
     where a.run_id = $1 and a.tool_use_id = $2`,
    [run, toolUseId],
  );
  const [row] = rows;
  return row && { id: row.id, state: row.state, decision: toDecision(row) };
}

/** Does nothing if a later segment waits for the answer now. */
async function withdrawQuestion(parts: FleetParts, claim: Claim, id: string): Promise<void> {
  await parts.database.transaction(async (db) => {
    const locked = await lockQuestion(parts, db, id);
    if (locked === undefined) return;
    const { question } = locked;
    const isOurs = question.run_id === claim.run.id && Number(question.epoch) <= claim.epoch;
    if (question.state === "open" && isOurs) {
      await endQuestion(parts, db, question, { state: "withdrawn" });
    }
  });
}

async function withdrawEarlier(
  parts: FleetParts,
  claim: Claim,
  keep: readonly string[],
): Promise<void> {
  await parts.database.transaction(async (db) => {
    await lockClaim(parts, db, claim);
    const { rows } = await db.query<ApprovalRow>(
      `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a
       where a.run_id = $1 and a.state = 'open' and a.epoch < $2
         and (a.tool_use_id is null or a.tool_use_id <> all($3::text[])) for update`,
      [claim.run.id, claim.epoch, keep],
    );
    for (const row of rows) await endQuestion(parts, db, row, { state: "withdrawn" });
  });
}
