import type { History, HistoryMessage } from "hawser";
import type { Queryable } from "../database/database.js";
import type { FleetParts } from "../engine/fleet-parts.js";
import {
  lockConversation,
  MESSAGE_COLUMNS,
  type MessageRow,
  toPrompt,
} from "./conversation-row.js";
import { withEarlierConversation } from "./earlier-conversation.js";
import { storeAnswers } from "./store-answers.js";

/**
 * What was said in the session of a run, from the stored messages: for a worker that finds no transcript of the
 * session. Undefined if the run is not of a conversation, or if it is the first of its session.
 *
 * The messages keep their roles as messages of the API, so that a text that imitates another role stays a text.
 */
export async function rebuildHistory(parts: FleetParts, run: string): Promise<History | undefined> {
  const { database } = parts;
  const { rows } = await database.query<Place>(
    `select conversation_id, session_id, seq from ${database.schema}.conversation_message
     where run_id = $1 and role = 'user'
     union all
     select id, session_id, null from ${database.schema}.conversation where summary_run = $1`,
    [run],
  );
  const [place] = rows;
  if (place === undefined) return undefined;
  return await database.transaction(async (db) => {
    const conversation = await lockConversation(parts, db, place.conversation_id);
    if (conversation === undefined) return undefined;
    await storeAnswers(parts, db, conversation);
    return await readHistory(parts, db, place);
  });
}

/** A place in a conversation: before a message, or at the end of a session. */
interface Place {
  readonly conversation_id: string;
  readonly session_id: string;
  readonly seq: string | null;
}

async function readHistory(
  parts: FleetParts,
  db: Queryable,
  { conversation_id, session_id, seq }: Place,
): Promise<History | undefined> {
  const { rows } = await db.query<MessageRow>(
    `select ${MESSAGE_COLUMNS} from ${parts.database.schema}.conversation_message m
     where m.conversation_id = $1 and m.session_id = $2 and m.role <> 'summary'
       and ($3::bigint is null or coalesce(m.answers, m.seq) < $3)
     order by coalesce(m.answers, m.seq) desc, m.seq desc limit ${MOST_MESSAGES}`,
    [conversation_id, session_id, seq],
  );
  const [first, ...rest] = newestThatFit(rows);
  if (first === undefined) return undefined;
  const content = await withEarlierConversation(
    parts,
    db,
    conversation_id,
    toPrompt(first),
    Number(first.seq),
  );
  return [{ role: "user", content }, ...rest.map(toHistoryMessage)];
}

function toHistoryMessage(row: MessageRow): HistoryMessage {
  return { role: row.role === "assistant" ? "assistant" : "user", content: toPrompt(row) };
}

/** The newest messages, the oldest first. The first one must be of the user. */
function newestThatFit(newestFirst: readonly MessageRow[]): MessageRow[] {
  const fitting: MessageRow[] = [];
  let length = 0;
  for (const message of newestFirst) {
    length += message.body.length;
    if (length > MOST_CHARACTERS) break;
    fitting.unshift(message);
  }
  while (fitting[0]?.role === "assistant") fitting.shift();
  return fitting;
}

/** A session that was much longer would not fit into the context of the model. */
const MOST_MESSAGES = 400;
const MOST_CHARACTERS = 300_000;
