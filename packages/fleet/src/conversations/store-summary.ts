import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunOutcome } from "../runs/run.js";
import { addMessage, type ConversationRow } from "./conversation-row.js";

/**
 * Stores the summary that the run `summary_run` has written, and closes the session. False if the run has not
 * written one. The transaction has locked the conversation.
 */
export async function storeSummary(
  parts: FleetParts,
  db: Queryable,
  { id, summary_run, session_id }: ConversationRow,
): Promise<boolean> {
  if (summary_run === null || session_id === null) return false;
  const { rows } = await db.query<{ outcome: string | null; ended_at: Date | null }>(
    `select outcome, ended_at from ${parts.database.schema}.run where id = $1`,
    [summary_run],
  );
  const { outcome = null, ended_at = null } = rows[0] ?? {};
  const text = outcome === null ? "" : (JSON.parse(outcome) as RunOutcome).text.trim();
  if (text === "") return false;
  await addMessage(parts, db, id, {
    sessionId: session_id,
    role: "summary",
    prompt: text,
    run: summary_run,
    at: ended_at ?? undefined,
  });
  await endSession(parts, db, id);
  return true;
}

/** The next message begins a new session. */
export async function endSession(
  { database }: FleetParts,
  db: Queryable,
  conversation: string,
): Promise<void> {
  await db.query(
    `update ${database.schema}.conversation set session_id = null, summary_run = null, closes_at = null where id = $1`,
    [conversation],
  );
}
