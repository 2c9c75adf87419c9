import type { Prompt } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { ConversationMessage } from "./conversation.js";
import { wordsOf } from "./message-words.js";
import { promptText } from "./prompt-text.js";

/** A row of the table `conversation`, as the driver gives it: bigint columns are text. */
export interface ConversationRow {
  readonly id: string;
  readonly channel: string;
  readonly user_name: string;
  readonly project: string;
  readonly tenant: string;
  readonly session_id: string | null;
  readonly summary_run: string | null;
  readonly idle_ms: string;
  readonly closes_at: Date | null;
  readonly options: string;
}

/** A row of the table `conversation_message`. */
export interface MessageRow {
  readonly seq: string;
  readonly session_id: string;
  readonly role: ConversationMessage["role"];
  readonly message_id: string | null;
  readonly run_id: string | null;
  readonly answers: string | null;
  readonly body: string;
  readonly at: Date;
}

/** The columns of `MessageRow`, for a table that is called `m` in the statement. */
export const MESSAGE_COLUMNS: string =
  "m.seq, m.session_id, m.role, m.message_id, m.run_id, m.answers, m.body, m.at";

export function toMessage(row: MessageRow & { readonly project: string }): ConversationMessage {
  return {
    seq: Number(row.seq),
    project: row.project,
    role: row.role,
    text: promptText(toPrompt(row)),
    ...(row.run_id === null ? {} : { run: row.run_id }),
    ...(row.message_id === null ? {} : { id: row.message_id }),
    at: row.at,
  };
}

export function toPrompt({ body }: Pick<MessageRow, "body">): Prompt {
  return JSON.parse(body) as Prompt;
}

/** Locks a conversation for the transaction. It is the first row that a transaction locks. */
export async function lockConversation(
  { database }: FleetParts,
  db: Queryable,
  id: string,
): Promise<ConversationRow | undefined> {
  const { rows } = await db.query<ConversationRow>(
    `select * from ${database.schema}.conversation where id = $1 for update`,
    [id],
  );
  return rows[0];
}

/** A message to store. */
export interface NewMessage {
  readonly sessionId: string;
  readonly role: ConversationMessage["role"];
  readonly prompt: Prompt;
  readonly run: string;
  readonly messageId?: string | undefined;
  readonly answers?: number | undefined;
  /** @default now */
  readonly at?: Date | undefined;
}

/** Stores a message of a conversation that the transaction has locked. Returns its number. */
export async function addMessage(
  { database }: FleetParts,
  db: Queryable,
  conversation: string,
  { sessionId, role, prompt, run, messageId, answers, at }: NewMessage,
): Promise<number> {
  const { rows } = await db.query<{ seq: string }>(
    `with numbered as (
       update ${database.schema}.conversation set next_seq = next_seq + 1 where id = $1 returning next_seq - 1 as seq
     )
     insert into ${database.schema}.conversation_message
       (conversation_id, seq, session_id, role, message_id, run_id, answers, answer, body, words, at)
     select $1, seq, $2, $3, $4, $5, $6, $7, $8, array_to_tsvector($9::text[]),
       coalesce($10::timestamptz, clock_timestamp())
     from numbered
     returning seq`,
    [
      conversation,
      sessionId,
      role,
      messageId ?? null,
      run,
      answers ?? null,
      role === "user" ? "pending" : null,
      JSON.stringify(prompt),
      wordsOf(promptText(prompt)),
      at ?? null,
    ],
  );
  return Number(rows[0]?.seq);
}
