import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { RunOutcome } from "../runs/run.js";
import { addMessage, type ConversationRow, lockConversation } from "./conversation-row.js";

interface SettledMessage {
  readonly seq: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly outcome: string | null;
  readonly ended_at: Date | null;
}

/**
 * Stores the answers of the runs that were settled since the last call, in a transaction that has locked the
 * conversation. The worker does not do it, because it settles runs without knowledge of conversations; so every
 * program that looks at a conversation does it first.
 */
export async function storeAnswers(
  parts: FleetParts,
  db: Queryable,
  conversation: ConversationRow,
): Promise<void> {
  const { schema } = parts.database;
  const { rows } = await db.query<SettledMessage>(
    `select m.seq, m.session_id, m.run_id, r.outcome, r.ended_at
     from ${schema}.conversation_message m left join ${schema}.run r on r.id = m.run_id
     where m.conversation_id = $1 and ${IS_SETTLED} order by r.ended_at nulls first, m.seq`,
    [conversation.id],
  );
  for (const row of rows) await storeAnswer(parts, db, conversation, row);
}

/**
 * A run that failed may have been retried since, so that a message without an answer is looked at again. The run of
 * a message may have been deleted with other old runs.
 */
const IS_SETTLED = `((m.answer = 'pending' and (r.id is null or r.ended_at is not null))
  or (m.answer = 'none' and r.state = 'done'))`;

async function storeAnswer(
  parts: FleetParts,
  db: Queryable,
  conversation: ConversationRow,
  { seq, session_id, run_id, outcome, ended_at }: SettledMessage,
): Promise<void> {
  const { schema } = parts.database;
  if (outcome !== null) {
    const { text } = JSON.parse(outcome) as RunOutcome;
    await addMessage(parts, db, conversation.id, {
      sessionId: session_id,
      role: "assistant",
      prompt: text,
      run: run_id,
      answers: Number(seq),
      at: ended_at ?? undefined,
    });
  }
  await db.query(
    `update ${schema}.conversation_message set answer = $3 where conversation_id = $1 and seq = $2`,
    [conversation.id, seq, outcome === null ? "none" : "stored"],
  );
  // The idle time begins with the answer.
  await db.query(
    `update ${schema}.conversation
     set closes_at = greatest(closes_at, $2::timestamptz + idle_ms * interval '1 millisecond')
     where id = $1 and closes_at is not null`,
    [conversation.id, ended_at],
  );
}

/** Which conversations. */
interface AnswersFilter {
  readonly channel?: string;
  readonly user?: string;
  readonly project?: string;
}

/** Stores the answers of one conversation, or of one user, or of all. */
export async function storeAllAnswers(
  parts: FleetParts,
  filter: AnswersFilter = {},
): Promise<void> {
  const { database } = parts;
  for (;;) {
    const ids = await findUnstored(parts, filter);
    for (const id of ids) {
      await database.transaction(async (db) => {
        const conversation = await lockConversation(parts, db, id);
        if (conversation !== undefined) await storeAnswers(parts, db, conversation);
      });
    }
    if (ids.length < AT_ONCE) return;
  }
}

/** Some of the conversations with answers to store. */
async function findUnstored(
  { database }: FleetParts,
  { channel, user, project }: AnswersFilter,
): Promise<string[]> {
  const { schema } = database;
  const { rows } = await database.query<{ id: string }>(
    `select distinct c.id from ${schema}.conversation_message m
     join ${schema}.conversation c on c.id = m.conversation_id
     left join ${schema}.run r on r.id = m.run_id
     where ${user === undefined ? IS_NEWLY_SETTLED : IS_SETTLED}
       and ($1::text is null or c.channel = $1) and ($2::text is null or c.user_name = $2)
       and ($3::text is null or c.project = $3) limit ${AT_ONCE}`,
    [channel ?? null, user ?? null, project ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Over all conversations, the messages that never got an answer would be too many to look at again. */
const IS_NEWLY_SETTLED = "m.answer = 'pending' and (r.id is null or r.ended_at is not null)";

const AT_ONCE = 200;
