import { createHash } from "node:crypto";
import { type Approval, coveredCalls, refusalOf } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Claim } from "../runs/claims.js";
import { claimLost } from "../runs/failures.js";
import { checkEpoch } from "../runs/fence.js";
import { lockRun } from "../runs/lock-run.js";
import type { RunEventBody } from "../runs/run.js";
import { writeEvents } from "../runs/write-events.js";
import { APPROVAL_COLUMNS, type ApprovalRow } from "./approval-row.js";
import { endQuestion } from "./end-question.js";
import { type CallQuestion, isSameCall } from "./same-call.js";
import { takeUnusedAnswer } from "./take-unused-answer.js";

/**
 * Writes a question down, once for each tool call and input, with the event `asked`. The row that is returned is not always
 * open: the call may have its answer already, also from a segment whose host was lost before it could use it, or a grant
 * of the session may cover it.
 */
export async function openQuestion(
  parts: FleetParts,
  claim: Claim,
  question: Approval,
  { expiresAt }: { readonly expiresAt?: Date },
): Promise<ApprovalRow> {
  // The clock of this host may differ from that of the database, so only the length of the time counts.
  const ttlMs = expiresAt === undefined ? null : Math.max(0, expiresAt.getTime() - Date.now());
  return parts.database.transaction(async (db) => {
    await lockClaim(parts, db, claim);
    const known = await findSame(parts, db, claim, question);
    if (known !== undefined && known.state !== "withdrawn")
      return takeOver(parts, db, claim, known);
    const abandoned = await findAbandoned(parts, db, claim, question);
    if (abandoned !== undefined) return abandoned;
    const unused =
      known === undefined ? await takeUnusedAnswer(parts, db, claim, question) : undefined;
    if (unused !== undefined) return unused;
    const covers = coverageOf(question);
    const grant = await findGrant(parts, db, claim, covers);
    const row = await write(parts, db, claim, question, { covers, grant, ttlMs });
    await writeEvents(parts, db, claim.run.id, [eventOf(row, question)]);
    await parts.database.notify(db, "approval", claim.run.id);
    return row;
  });
}

/**
 * Locks the session and the run of a claim. Throws `lease_lost` if another host has the session, or if the segment
 * has ended: a question that comes late must not stay open for ever.
 */
export async function lockClaim(parts: FleetParts, db: Queryable, claim: Claim): Promise<void> {
  await checkEpoch(parts, db, claim, "for share");
  const run = await lockRun(parts, db, claim.run.id);
  if (run?.state === "running" && Number(run.epoch) === claim.epoch) return;
  throw claimLost(claim.run.id, claim.segment);
}

/**
 * What is known about this call. A person who has decided about the same call with another input, for example with the
 * path of a file on another host, has seen something else: that question keeps its record, and this one is new.
 */
async function findSame(
  parts: FleetParts,
  db: Queryable,
  claim: Claim,
  question: Approval,
): Promise<ApprovalRow | undefined> {
  const known = await findKnown(parts, db, claim, question);
  if (known === undefined || question.kind === "elicitation") return known;
  if (isSameCall(JSON.parse(known.question) as CallQuestion, question)) return known;
  if (known.state === "open") await endQuestion(parts, db, known, { state: "withdrawn" });
  await db.query(`update ${parts.database.schema}.approval set tool_use_id = null where id = $1`, [
    known.id,
  ]);
  return undefined;
}

async function findKnown(
  { database }: FleetParts,
  db: Queryable,
  claim: Claim,
  question: Approval,
): Promise<ApprovalRow | undefined> {
  if (question.kind === "elicitation") return undefined;
  const { rows } = await db.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${database.schema}.approval a
     where a.run_id = $1 and a.tool_use_id = $2 for update`,
    [claim.run.id, question.toolUseId],
  );
  return rows[0];
}

/** This segment waits for the answer now. */
async function takeOver(
  { database }: FleetParts,
  db: Queryable,
  { epoch }: Claim,
  known: ApprovalRow,
): Promise<ApprovalRow> {
  await db.query(`update ${database.schema}.approval set epoch = $2 where id = $1`, [
    known.id,
    epoch,
  ]);
  return known;
}

/**
 * A call that was parked by an earlier run of the session, which was ended before the call could go on. The CLI
 * puts such a call forward at the next resume. Nobody wants it any more, so that nobody is asked again.
 */
async function findAbandoned(
  { database }: FleetParts,
  db: Queryable,
  { run }: Claim,
  question: Approval,
): Promise<ApprovalRow | undefined> {
  if (question.kind === "elicitation") return undefined;
  const { rows } = await db.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${database.schema}.approval a join ${database.schema}.run r on r.id = a.run_id
     where a.session_id = $1 and a.tool_use_id = $2 and a.run_id <> $3
       and r.state in ('failed', 'cancelled') order by a.asked_at desc limit 1`,
    [run.sessionId, question.toolUseId, run.id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const decision = JSON.stringify(refusalOf(question, ABANDONED));
  return { ...row, state: row.state === "open" ? "withdrawn" : row.state, decision };
}

const ABANDONED =
  "The run that asked for this approval was ended, so the call was denied. Do not repeat it unless the user asks for it.";

/** A hash, because a call can be longer than an entry of an index. */
function coverageOf(question: Approval): string | null {
  const calls = coveredCalls(question);
  return calls === undefined ? null : createHash("sha256").update(calls).digest("base64");
}

interface Grant {
  readonly id: string;
  readonly answered_by: string | null;
}

/** A grant is of one session of one tenant. */
async function findGrant(
  { database }: FleetParts,
  db: Queryable,
  { run }: Claim,
  covers: string | null,
): Promise<Grant | undefined> {
  if (covers === null) return undefined;
  const { rows } = await db.query<Grant>(
    `select id, answered_by from ${database.schema}.approval
     where is_grant and session_id = $1 and covers = $2 and tenant = $3 order by settled_at limit 1`,
    [run.sessionId, covers, run.tenant],
  );
  return rows[0];
}

interface Answering {
  readonly covers: string | null;
  readonly grant: Grant | undefined;
  readonly ttlMs: number | null;
}

/** A question that was withdrawn with a dead segment is asked again under its old id. */
async function write(
  { database }: FleetParts,
  db: Queryable,
  { run, epoch }: Claim,
  question: Approval,
  { covers, grant, ttlMs }: Answering,
): Promise<ApprovalRow> {
  const { rows } = await db.query<ApprovalRow>(
    `insert into ${database.schema}.approval as a (run_id, tool_use_id, tenant, session_id, epoch, question, covers,
       state, decision, granted_by, answered_by, settled_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $8 = 'open' then null else clock_timestamp() end,
       clock_timestamp() + $12 * interval '1 millisecond')
     on conflict (run_id, tool_use_id) do update set epoch = excluded.epoch, state = excluded.state,
       decision = excluded.decision, granted_by = excluded.granted_by, answered_by = excluded.answered_by,
       asked_at = clock_timestamp(), settled_at = excluded.settled_at, expires_at = excluded.expires_at
     returning ${APPROVAL_COLUMNS}`,
    [
      run.id,
      question.kind === "elicitation" ? null : question.toolUseId,
      run.tenant,
      run.sessionId,
      epoch,
      JSON.stringify(question),
      covers,
      grant === undefined ? "open" : "granted",
      grant === undefined ? null : JSON.stringify({ behavior: "allow" }),
      grant?.id ?? null,
      grant?.answered_by ?? null,
      ttlMs,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error("The insert of a question returned no row.");
  return row;
}

function eventOf({ id, state, answered_by }: ApprovalRow, question: Approval): RunEventBody {
  if (state === "granted") {
    const by = answered_by === null ? {} : { by: answered_by };
    return { type: "answered", approval: id, outcome: "granted", ...by };
  }
  const tool = question.kind === "elicitation" ? question.server : question.tool;
  return { type: "asked", approval: id, tool, summary: question.summary };
}
