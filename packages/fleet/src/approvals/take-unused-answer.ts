import { isDeepStrictEqual } from "node:util";
import type { Approval } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim } from "../runs/claims.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toDecision } from "./approval-row.js";
import type { CallQuestion } from "./same-call.js";

/**
 * Takes the answer that a person gave to the very same call in an earlier segment of the run, whose host was lost
 * before the answer had an effect. From now on it is the answer to this call, so that no other call gets it.
 *
 * An answer counts for one execution, and only while the person would see the same thing again: no call of the run
 * has been begun since, and the run was not ended since. A call is written down before it begins, so the answer was
 * not used either. Undefined for a call of a sub-agent, because the model must begin another call to get there.
 */
export async function takeUnusedAnswer(
  parts: FleetParts,
  db: Queryable,
  claim: Claim,
  question: Approval,
): Promise<ApprovalRow | undefined> {
  if (question.kind === "elicitation" || question.agentId !== undefined) return undefined;
  for (const row of await readUnused(parts, db, claim)) {
    const asked = JSON.parse(row.question) as CallQuestion;
    if (!isSameQuestion(asked, question)) continue;
    if (await hasEndedSince(parts, db, row)) continue;
    if (isDenied(row) && (await isInTranscript(parts, db, row, asked.toolUseId))) continue;
    return await take(parts, db, claim, row, { ...asked, toolUseId: question.toolUseId });
  }
  return undefined;
}

/** The answers of earlier segments since which no call of the run was begun. */
async function readUnused(
  { database }: FleetParts,
  db: Queryable,
  { run, epoch }: Claim,
): Promise<ApprovalRow[]> {
  const { schema } = database;
  const { rows } = await db.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${schema}.approval a
     where a.run_id = $1 and a.state = 'answered' and a.tool_use_id is not null and a.epoch < $2
       and not exists (
         select 1 from ${schema}.intent where intent.run_id = a.run_id and intent.at >= a.settled_at)
     order by a.settled_at desc for update`,
    [run.id, epoch],
  );
  return rows;
}

/** Whether a person sees the same in both questions: also the same change of a file, and the same reason. */
function isSameQuestion(asked: CallQuestion, question: CallQuestion): boolean {
  return isDeepStrictEqual(shownOf(asked), shownOf(question));
}

function shownOf(question: CallQuestion): unknown {
  const { id: _id, askedAt: _askedAt, expiresAt: _, toolUseId: __, ...shown } = question;
  // As it is stored: without fields that are undefined.
  return JSON.parse(JSON.stringify(shown));
}

/** Somebody has retried the run since. What was answered before is not for the new attempt. */
async function hasEndedSince(
  { database }: FleetParts,
  db: Queryable,
  { run_id, settled_at }: ApprovalRow,
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from ${database.schema}.event where run_id = $1 and type = 'ended' and at >= $2 limit 1`,
    [run_id, settled_at],
  );
  return rows.length > 0;
}

function isDenied(row: ApprovalRow): boolean {
  return toDecision(row)?.behavior === "deny";
}

/** Whether the model knows that it made the call, and so what came of it. If it makes the call again, it means to. */
async function isInTranscript(
  { database }: FleetParts,
  db: Queryable,
  { session_id }: ApprovalRow,
  toolUseId: string,
): Promise<boolean> {
  const { rows } = await db.query(
    `select 1 from ${database.schema}.entry where session_id = $1 and strpos(body, $2) > 0 limit 1`,
    [session_id, JSON.stringify(toolUseId)],
  );
  return rows.length > 0;
}

async function take(
  { database }: FleetParts,
  db: Queryable,
  { epoch }: Claim,
  row: ApprovalRow,
  question: CallQuestion,
): Promise<ApprovalRow> {
  const text = JSON.stringify(question);
  await db.query(
    `update ${database.schema}.approval set tool_use_id = $2, epoch = $3, question = $4 where id = $1`,
    [row.id, question.toolUseId, epoch, text],
  );
  return { ...row, epoch: `${epoch}`, question: text };
}
