import { type ApprovalDecision, checkDecision, type HawserError } from "hawser";
import { checkName, invalidOption } from "../accounting/invalid-option.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { queueAnswered } from "../runs/send-job.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval, toRecord } from "./approval-row.js";
import { endQuestion, lockQuestion } from "./end-question.js";
import { expireIfDue, expireQuestions } from "./expire-questions.js";
import type { FleetApproval, FleetApprovalRecord, FleetApprovals } from "./fleet-approvals.js";
import { watchApprovals } from "./watch-approvals.js";

/** The questions of all runs of a fleet. */
export function createFleetApprovals(parts: FleetParts): FleetApprovals {
  return {
    pending: (filter = {}) => readPending(parts, filter),
    answer: (id, decision, options = {}) => answerQuestion(parts, id, decision, options),
    records: (filter = {}) => readRecords(parts, filter),
    watch: (options = {}) => watchApprovals(parts, options),
  };
}

async function readPending(
  parts: FleetParts,
  { tenant, run }: NonNullable<Parameters<FleetApprovals["pending"]>[0]>,
): Promise<FleetApproval[]> {
  if (run !== undefined && !isUuid(run)) return [];
  await expireQuestions(parts);
  const { rows } = await parts.database.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a
     where a.state = 'open' and ($1::text is null or a.tenant = $1) and ($2::uuid is null or a.run_id = $2)
     order by a.asked_at, a.id`,
    [tenant ?? null, run ?? null],
  );
  return rows.map(toApproval);
}

async function readRecords(
  parts: FleetParts,
  { tenant, run, limit = 1000 }: NonNullable<Parameters<FleetApprovals["records"]>[0]>,
): Promise<FleetApprovalRecord[]> {
  if (run !== undefined && !isUuid(run)) return [];
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw invalidOption("limit", "is not a whole number of records", "Leave `limit` out for 1000.");
  }
  await expireQuestions(parts);
  const { rows } = await parts.database.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a
     where a.settled_at is not null and ($1::text is null or a.tenant = $1)
       and ($2::uuid is null or a.run_id = $2)
     order by a.settled_at desc, a.id desc limit $3`,
    [tenant ?? null, run ?? null, limit],
  );
  return rows.toReversed().flatMap((row) => (row.state === "open" ? [] : toRecord(row, row.state)));
}

async function answerQuestion(
  parts: FleetParts,
  id: string,
  decision: ApprovalDecision,
  { by }: { readonly by?: string },
): Promise<"counted" | "too_late"> {
  if (by !== undefined) checkName("by", by);
  if (!isUuid(id)) throw unknownId(id);
  return parts.database.transaction(async (db) => {
    const locked = await lockQuestion(parts, db, id);
    if (locked === undefined) throw unknownId(id);
    const { question, run } = locked;
    if (question.state !== "open" || (await expireIfDue(parts, db, locked))) return "too_late";
    const checked = checkDecision(toApproval(question), decision);
    await endQuestion(parts, db, question, { state: "answered", decision: checked, by });
    if (checked.behavior === "allow" && checked.scope === "session") {
      await endCovered(parts, db, question, by);
    }
    await queueAnswered(parts, db, run);
    return "counted";
  });
}

/**
 * Ends the other open questions that the answer of this one covers. They are of the same run, whose row is locked,
 * because a session has only one run that is not settled or held.
 */
async function endCovered(
  parts: FleetParts,
  db: Queryable,
  question: ApprovalRow,
  by: string | undefined,
): Promise<void> {
  const { rows } = await db.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${parts.database.schema}.approval a
     where a.run_id = $1 and a.session_id = $2 and a.covers = $3 and a.state = 'open' order by a.asked_at for update`,
    [question.run_id, question.session_id, question.covers],
  );
  for (const row of rows) {
    const decision = { behavior: "allow" } as const;
    await endQuestion(parts, db, row, { state: "granted", decision, by, grantedBy: question.id });
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Postgres refuses a statement that compares a column of the type `uuid` with any other text. */
function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

function unknownId(id: unknown): HawserError {
  return invalidOption(
    "id",
    `is not the id of a question of this fleet: ${JSON.stringify(id)}`,
    "Use the `id` of a question that `pending()` or `watch()` gives.",
  );
}
