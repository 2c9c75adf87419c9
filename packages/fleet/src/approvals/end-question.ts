import { type ApprovalDecision, refusalOf } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { lockRun } from "../runs/lock-run.js";
import type { RunRow } from "../runs/run-row.js";
import { writeEvents } from "../runs/write-events.js";
import { APPROVAL_COLUMNS, type ApprovalRow, toApproval, toDecision } from "./approval-row.js";

/** How a question ends, and what the CLI gets. */
export interface QuestionEnding {
  readonly state: "answered" | "expired" | "withdrawn" | "granted";
  readonly decision?: ApprovalDecision | undefined;
  readonly by?: string | undefined;
  readonly grantedBy?: string | undefined;
}

/**
 * Locks the run of a question and then the question itself. Every transaction takes these locks in this order, also
 * the one that settles a run and withdraws its questions, so that no two of them wait for each other.
 */
export async function lockQuestion(
  parts: FleetParts,
  db: Queryable,
  id: string,
): Promise<{ readonly question: ApprovalRow; readonly run: RunRow } | undefined> {
  const { schema } = parts.database;
  const asking = await db.query<{ run_id: string }>(
    `select run_id from ${schema}.approval where id = $1`,
    [id],
  );
  const run = asking.rows[0] && (await lockRun(parts, db, asking.rows[0].run_id));
  const { rows } = await db.query<ApprovalRow>(
    `select ${APPROVAL_COLUMNS} from ${schema}.approval a where a.id = $1 for update`,
    [id],
  );
  const [question] = rows;
  return run === undefined || question === undefined ? undefined : { question, run };
}

/**
 * Ends an open question that the transaction has locked: its row, and the event of its run. If the run waits for the
 * answer, the caller queues it.
 */
export async function endQuestion(
  parts: FleetParts,
  db: Queryable,
  question: ApprovalRow,
  { state, decision, by, grantedBy }: QuestionEnding,
): Promise<void> {
  const { database } = parts;
  const isGrant = decision?.behavior === "allow" && decision.scope === "session";
  await db.query(
    `update ${database.schema}.approval set state = $2, decision = $3, answered_by = $4, granted_by = $5,
       is_grant = $6, settled_at = clock_timestamp()
     where id = $1 and state = 'open'`,
    [
      question.id,
      state,
      decision === undefined ? null : JSON.stringify(decision),
      by ?? null,
      grantedBy ?? null,
      isGrant,
    ],
  );
  const outcome = outcomeOf(state, decision);
  await writeEvents(parts, db, question.run_id, [
    { type: "answered", approval: question.id, outcome, ...(by === undefined ? {} : { by }) },
  ]);
  await database.notify(db, "approval", question.run_id);
}

/** As in the core's event: the decision of a person, or why no person decided. */
function outcomeOf(state: QuestionEnding["state"], decision: ApprovalDecision | undefined): string {
  if (state !== "answered") return state;
  return POSITIVE.has(decision?.behavior) ? "allow" : "deny";
}

const POSITIVE: ReadonlySet<string | undefined> = new Set(["allow", "answer", "accept"]);

/** What the CLI gets for a question that has ended. */
export function decisionOf(question: ApprovalRow): ApprovalDecision {
  return toDecision(question) ?? refusalOf(toApproval(question), WITHDRAWN);
}

const WITHDRAWN = "The question was withdrawn before anybody answered.";
