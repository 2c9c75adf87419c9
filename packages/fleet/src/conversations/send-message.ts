import type { Prompt } from "hawser";
import { checkName, invalidOption } from "../accounting/invalid-option.js";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import { cancelRun } from "../runs/cancel-run.js";
import { createRun, type RunParts } from "../runs/create-run.js";
import { plainCopy } from "../runs/plain-data.js";
import type { Run } from "../runs/run.js";
import { submitRun } from "../runs/submit-run.js";
import type { ConversationKey, ConversationOptions } from "./conversation.js";
import { addMessage, type ConversationRow, type MessageRow } from "./conversation-row.js";
import { withEarlierConversation } from "./earlier-conversation.js";
import { storeAnswers } from "./store-answers.js";
import { storeSummary } from "./store-summary.js";

/** Checked options of a conversation. */
export interface ConversationSettings {
  readonly key: Required<ConversationKey>;
  readonly tenant: string;
  readonly idleMs: number;
  /** What the runs get. */
  readonly request: Omit<ConversationOptions, "tenant" | "idleMs">;
}

/** What one message is sent with. */
interface SendOptions {
  readonly id?: string;
  readonly budgetUsd?: number;
}

/**
 * Stores a message and submits its run in one transaction, so that a message that was accepted is answered. The row
 * of the conversation is locked meanwhile, so that the runs of its session have the order of the messages.
 */
export async function sendMessage(
  parts: RunParts,
  settings: ConversationSettings,
  message: Prompt,
  options: SendOptions,
): Promise<Run> {
  if (options.id !== undefined) checkName("id", options.id);
  const { run, needlessSummary } = await parts.database.transaction((db) =>
    storeAndSubmit(parts, db, settings, message, options),
  );
  if (needlessSummary !== undefined) await cancelSummary(parts, needlessSummary);
  return createRun(parts, run);
}

interface Sent {
  readonly run: string;
  /** The run that was about to write a summary. The session goes on instead. */
  readonly needlessSummary?: string | undefined;
}

async function storeAndSubmit(
  parts: FleetParts,
  db: Queryable,
  settings: ConversationSettings,
  message: Prompt,
  { id, budgetUsd }: SendOptions,
): Promise<Sent> {
  const found = await lockByKey(parts, db, settings);
  const known = id === undefined ? undefined : await findMessage(parts, db, found.id, id, message);
  if (known !== undefined) return { run: known };
  await storeAnswers(parts, db, found);
  const { conversation, needlessSummary } = await stopClosing(parts, db, found);
  const session = await usableSession(parts, db, conversation, settings.tenant);
  const prompt =
    session === undefined
      ? await withEarlierConversation(parts, db, conversation.id, message)
      : message;
  const run = await submitRun(parts, prompt, {
    ...settings.request,
    tenant: settings.tenant,
    metadata: { conversation: conversation.id, ...settings.key },
    ...(session === undefined ? {} : { session }),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    db,
  });
  const sessionId = session ?? (await sessionOf(parts, db, run));
  const stored = { sessionId, role: "user", prompt: message, run, messageId: id } as const;
  await addMessage(parts, db, conversation.id, stored);
  await continueSession(parts, db, conversation.id, sessionId, settings);
  return { run, needlessSummary };
}

/** Makes the conversation if it is new. */
async function lockByKey(
  { database }: FleetParts,
  db: Queryable,
  { key, tenant, idleMs, request }: ConversationSettings,
): Promise<ConversationRow> {
  const { rows } = await db.query<ConversationRow>(
    `insert into ${database.schema}.conversation as c (channel, user_name, project, tenant, idle_ms, options)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (channel, user_name, project) do update set channel = c.channel returning c.*`,
    [key.channel, key.user, key.project, tenant, idleMs, JSON.stringify(request)],
  );
  const [conversation] = rows;
  if (conversation === undefined) throw new Error("The upsert of a conversation returned no row.");
  if (conversation.tenant === tenant) return conversation;
  throw invalidOption(
    "tenant",
    `is "${tenant}", but the conversation belongs to the tenant "${conversation.tenant}"`,
    "Give the same `tenant` as before, or use another `project` for another conversation.",
  );
}

/** The run of a message that was sent before. */
async function findMessage(
  { database }: FleetParts,
  db: Queryable,
  conversation: string,
  id: string,
  message: Prompt,
): Promise<string | undefined> {
  const { rows } = await db.query<Pick<MessageRow, "run_id" | "body">>(
    `select run_id, body from ${database.schema}.conversation_message where conversation_id = $1 and message_id = $2`,
    [conversation, id],
  );
  const [known] = rows;
  if (known === undefined || known.run_id === null) return undefined;
  const isSame = sameJson(JSON.parse(known.body), message);
  if (isSame) return known.run_id;
  throw invalidOption("id", "belongs to another message", "Give every message an `id` of its own.");
}

function sameJson(stored: unknown, given: unknown): boolean {
  return (
    JSON.stringify(plainCopy(stored, "message")) === JSON.stringify(plainCopy(given, "message"))
  );
}

/**
 * Ends the closing of a conversation, because a message came. If the summary is written, the session is closed. If
 * not, the session goes on and nobody needs the summary.
 */
async function stopClosing(
  parts: FleetParts,
  db: Queryable,
  conversation: ConversationRow,
): Promise<{
  readonly conversation: ConversationRow;
  readonly needlessSummary?: string | undefined;
}> {
  if (conversation.summary_run === null) return { conversation };
  if (await storeSummary(parts, db, conversation)) {
    return { conversation: { ...conversation, session_id: null, summary_run: null } };
  }
  return {
    conversation: { ...conversation, summary_run: null },
    needlessSummary: conversation.summary_run,
  };
}

/**
 * The session that the message continues. Its row can have been deleted: then it is made again, and the worker rebuilds
 * the transcript. Undefined if there is no session, or if somebody else has made the row again.
 */
async function usableSession(
  { database }: FleetParts,
  db: Queryable,
  { session_id }: ConversationRow,
  tenant: string,
): Promise<string | undefined> {
  if (session_id === null) return undefined;
  const { schema } = database;
  await db.query(
    `insert into ${schema}.session (id, tenant) values ($1, $2) on conflict do nothing`,
    [session_id, tenant],
  );
  const { rows } = await db.query<{ tenant: string }>(
    `select tenant from ${schema}.session where id = $1`,
    [session_id],
  );
  return rows[0]?.tenant === tenant ? session_id : undefined;
}

async function sessionOf({ database }: FleetParts, db: Queryable, run: string): Promise<string> {
  const { rows } = await db.query<{ session_id: string }>(
    `select session_id from ${database.schema}.run where id = $1`,
    [run],
  );
  if (rows[0] === undefined) throw new Error(`The run ${run} was not stored.`);
  return rows[0].session_id;
}

async function continueSession(
  { database }: FleetParts,
  db: Queryable,
  conversation: string,
  session: string,
  { idleMs, request }: ConversationSettings,
): Promise<void> {
  await db.query(
    `update ${database.schema}.conversation set session_id = $2, summary_run = null, idle_ms = $3::bigint, options = $4,
       closes_at = clock_timestamp() + $3::bigint * interval '1 millisecond'
     where id = $1`,
    [conversation, session, idleMs, JSON.stringify(request)],
  );
}

/** After the commit, because cancelling has a transaction of its own. A summary that is written anyway does no harm. */
async function cancelSummary(parts: RunParts, run: string): Promise<void> {
  try {
    await cancelRun(parts, run, "a message came, so that the conversation goes on");
  } catch (error) {
    parts.logger?.debug("A summary that is no longer needed was not cancelled.", { run, error });
  }
}
