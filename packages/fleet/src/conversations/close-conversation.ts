import { isHawserError } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { createRun, type RunParts } from "../runs/create-run.js";
import { submitRun } from "../runs/submit-run.js";
import type { ConversationKey, ConversationOptions } from "./conversation.js";
import { type ConversationRow, lockConversation } from "./conversation-row.js";
import { storeAnswers } from "./store-answers.js";
import { endSession, storeSummary } from "./store-summary.js";

/** Closes the session of a conversation, and waits for the summary. */
export async function closeConversation(
  parts: RunParts,
  key: Required<ConversationKey>,
  { signal }: { readonly signal?: AbortSignal },
): Promise<string | undefined> {
  const { database } = parts;
  const { rows } = await database.query<{ id: string }>(
    `select id from ${database.schema}.conversation where channel = $1 and user_name = $2 and project = $3`,
    [key.channel, key.user, key.project],
  );
  const id = rows[0]?.id;
  if (id === undefined) return undefined;
  const summaryRun = await database.transaction(async (db) => {
    const conversation = await lockConversation(parts, db, id);
    if (conversation === undefined || conversation.session_id === null) return undefined;
    return conversation.summary_run ?? (await beginClosing(parts, db, conversation));
  });
  if (summaryRun === undefined) return undefined;
  await untilSettled(parts, summaryRun, signal);
  await database.transaction((db) => finishClosing(parts, db, id, summaryRun));
  return readSummary(parts, id, summaryRun);
}

/**
 * Submits the run that writes the summary, as the last turn of the session: with low priority, after the messages
 * that are not answered yet. Its cost is booked as that of every run. Returns its id; undefined if the run is refused,
 * for example because the tenant has spent its budget, so that the session is closed without a summary. The transaction
 * has locked the conversation.
 */
export async function beginClosing(
  parts: FleetParts,
  db: Queryable,
  conversation: ConversationRow,
): Promise<string | undefined> {
  const { schema } = parts.database;
  const { id, session_id, tenant, channel, user_name, project } = conversation;
  if (session_id === null) return undefined;
  const { schema: _, ...options } = JSON.parse(conversation.options) as ConversationOptions;
  await db.query(
    `insert into ${schema}.session (id, tenant) values ($1, $2) on conflict do nothing`,
    [session_id, tenant],
  );
  try {
    const run = await submitRun(parts, SUMMARY_PROMPT, {
      ...options,
      maxTurns: 1,
      tenant,
      session: session_id,
      priority: "low",
      metadata: { conversation: id, channel, user: user_name, project, purpose: "summary" },
      db,
    });
    await db.query(
      `update ${schema}.conversation set summary_run = $2, closes_at = null where id = $1`,
      [id, run],
    );
    return run;
  } catch (error) {
    // After an update of the fleet, options that were stored may no longer be valid. A session that was deleted can
    // exist again, and belong to somebody else.
    const isRefused =
      isHawserError(error, "budget_refused") ||
      isHawserError(error, "invalid_options") ||
      isHawserError(error, "session_not_found");
    if (!isRefused) throw error;
    await endSession(parts, db, id);
    return undefined;
  }
}

const SUMMARY_PROMPT = `The conversation is about to be closed. Write a summary of it, for yourself: it is all that you will know of it when the user comes back.
Keep what is still useful: facts about the user, decisions and their reasons, names, numbers and paths, what is done, and what is open.
Write at most 300 words, in the language of the user. Answer with the summary alone, and use no tools.`;

/** Stores the summary and ends the session, if the run is settled and the conversation still waits for it. */
export async function finishClosing(
  parts: FleetParts,
  db: Queryable,
  id: string,
  summaryRun: string,
): Promise<void> {
  const conversation = await lockConversation(parts, db, id);
  // A message may have come first.
  if (conversation?.summary_run !== summaryRun) return;
  await storeAnswers(parts, db, conversation);
  if (!(await storeSummary(parts, db, conversation))) await endSession(parts, db, id);
}

async function untilSettled(
  parts: RunParts,
  id: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const run = createRun(parts, id);
  try {
    await run.result(signal === undefined ? {} : { signal });
  } catch (error) {
    const { endedAt } = await run.info();
    if (endedAt === undefined) throw error;
  }
}

async function readSummary(
  { database }: FleetParts,
  conversation: string,
  run: string,
): Promise<string | undefined> {
  const { rows } = await database.query<{ body: string }>(
    `select body from ${database.schema}.conversation_message
     where conversation_id = $1 and run_id = $2 and role = 'summary'`,
    [conversation, run],
  );
  return rows[0] === undefined ? undefined : (JSON.parse(rows[0].body) as string);
}
