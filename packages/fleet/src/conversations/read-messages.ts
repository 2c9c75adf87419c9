import { invalidOption } from "../accounting/invalid-option.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import type { Conversation, ConversationKey, ConversationMessage } from "./conversation.js";
import { MESSAGE_COLUMNS, type MessageRow, toMessage } from "./conversation-row.js";
import { searchQuery } from "./message-words.js";
import { storeAllAnswers } from "./store-answers.js";

type HistoryRange = NonNullable<Parameters<Conversation["history"]>[0]>;
type SearchRange = NonNullable<Parameters<Conversation["search"]>[1]>;
type Row = MessageRow & { readonly project: string };

/** The newest messages before a number, the oldest first. */
export async function readMessages(
  parts: FleetParts,
  { channel, user, project }: Required<ConversationKey>,
  { before, limit = 100 }: HistoryRange,
): Promise<ConversationMessage[]> {
  checkWhole("limit", limit);
  if (before !== undefined) checkWhole("before", before);
  await storeAllAnswers(parts, { channel, user, project });
  const { schema } = parts.database;
  const { rows } = await parts.database.query<Row>(
    `select ${MESSAGE_COLUMNS}, c.project from ${schema}.conversation c
     join ${schema}.conversation_message m on m.conversation_id = c.id
     where c.channel = $1 and c.user_name = $2 and c.project = $3 and ($4::bigint is null or m.seq < $4)
     order by m.seq desc limit $5`,
    [channel, user, project, before ?? null, limit],
  );
  return rows.toReversed().map(toMessage);
}

/** The messages of a user in a channel that have all the words, the newest first. */
export async function searchMessages(
  parts: FleetParts,
  { channel, user }: Required<ConversationKey>,
  text: string,
  { limit = 20 }: SearchRange,
): Promise<ConversationMessage[]> {
  checkWhole("limit", limit);
  if (typeof text !== "string") {
    throw invalidOption("text", "is not a string", "Give the words to search for.");
  }
  const query = searchQuery(text);
  if (query === undefined) return [];
  await storeAllAnswers(parts, { channel, user });
  const { schema } = parts.database;
  const { rows } = await parts.database.query<Row>(
    `select ${MESSAGE_COLUMNS}, c.project from ${schema}.conversation_message m
     join ${schema}.conversation c on c.id = m.conversation_id
     where m.words @@ $3::tsquery and c.channel = $1 and c.user_name = $2
     order by m.at desc, m.seq desc limit $4`,
    [channel, user, query, limit],
  );
  return rows.map(toMessage);
}

function checkWhole(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw invalidOption(
    name,
    "is not a whole number from 0",
    `Leave \`${name}\` out for the default.`,
  );
}
