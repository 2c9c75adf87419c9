import type { FleetParts } from "../engine/fleet-parts.js";
import { beginClosing, finishClosing } from "./close-conversation.js";
import { lockConversation } from "./conversation-row.js";
import { storeAllAnswers } from "./store-answers.js";

/**
 * Stores answers and summaries of runs that were settled, and closes the sessions of idle conversations. Any number
 * of programs may do it at once: the lock of each conversation makes sure that each step is done once.
 */
export async function maintainConversations(parts: FleetParts): Promise<void> {
  await storeAllAnswers(parts);
  await finishClosings(parts);
  await closeIdle(parts);
}

async function finishClosings(parts: FleetParts): Promise<void> {
  const { database } = parts;
  const { rows } = await database.query<{ id: string; summary_run: string }>(
    `select c.id, c.summary_run from ${database.schema}.conversation c
     left join ${database.schema}.run r on r.id = c.summary_run
     where c.summary_run is not null and (r.id is null or r.ended_at is not null) limit ${AT_ONCE}`,
  );
  for (const { id, summary_run } of rows) {
    await database.transaction((db) => finishClosing(parts, db, id, summary_run));
  }
}

async function closeIdle(parts: FleetParts): Promise<void> {
  const { database } = parts;
  const { schema } = database;
  const isIdle = `c.closes_at <= clock_timestamp() and not exists (
    select 1 from ${schema}.conversation_message m where m.conversation_id = c.id and m.answer = 'pending')`;
  const { rows } = await database.query<{ id: string }>(
    `select c.id from ${schema}.conversation c where ${isIdle} order by c.closes_at limit ${AT_ONCE}`,
  );
  for (const { id } of rows) {
    await database.transaction(async (db) => {
      const conversation = await lockConversation(parts, db, id);
      const still = await db.query(
        `select 1 from ${schema}.conversation c where c.id = $1 and ${isIdle}`,
        [id],
      );
      if (conversation !== undefined && still.rows.length > 0) {
        await beginClosing(parts, db, conversation);
      }
    });
  }
}

const AT_ONCE = 100;

/** Maintains the conversations in the background, as long as the program that has opened the fleet runs. */
export class ConversationMaintenance {
  readonly #parts: FleetParts;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: FleetParts, { everyMs = EVERY_MS }: { readonly everyMs?: number } = {}) {
    this.#parts = parts;
    this.#everyMs = everyMs;
    this.#schedule();
  }

  /** Resolves when no statement of the maintenance runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    // A random part, so that the programs of a fleet do not all ask at once.
    const ms = this.#everyMs * (0.5 + Math.random());
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, ms).unref();
  }

  async #run(): Promise<void> {
    try {
      await maintainConversations(this.#parts);
    } catch (error) {
      this.#parts.logger?.debug("The conversations could not be maintained.", { error });
    }
    this.#schedule();
  }
}

const EVERY_MS = 10_000;
