import { setTimeout as delay } from "node:timers/promises";
import {
  HawserError,
  isHawserError,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from "hawser";
import type { Database, Queryable } from "../database/database.js";
import {
  clearEntries,
  insertEntries,
  listSubpaths,
  loadEntries,
  MAIN,
  nameEntries,
} from "./session-entries.js";
import { isSessionId } from "./session-id.js";
import { type LockedSession, lockLeased } from "./session-row.js";

/** The lease by which a store may write. */
export interface HeldLease {
  readonly sessionId: string;
  readonly epoch: number;
}

/** The holder of the lease, as the store sees it. */
export interface LeaseHolder {
  /** Whether the holder must end its work, so that no write is tried again. */
  isOver(): boolean;
  /** An append was refused because somebody else has the session. */
  onLost(error: HawserError): void;
}

/**
 * A store that writes one session, as long as its lease is the newest. It reads every session, so that a run can fork
 * one. While the database cannot be reached, an append waits and is tried again until the lease is over.
 */
export class LeasedStore implements SessionStore {
  readonly #database: Database;
  readonly #lease: HeldLease;
  readonly #holder: LeaseHolder;

  constructor(database: Database, lease: HeldLease, holder: LeaseHolder) {
    this.#database = database;
    this.#lease = lease;
    this.#holder = holder;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const { sessionId } = this.#lease;
    if (key.sessionId !== sessionId) throw otherSession(key.sessionId, sessionId);
    if (entries.length === 0) return;
    const batch = nameEntries(entries);
    await this.#write((db, session) => insertEntries(db, this.#schema, key, batch, session));
  }

  /** Forgets the transcript of the session. */
  async clear(): Promise<void> {
    const { sessionId } = this.#lease;
    await this.#write((db) => clearEntries(db, this.#schema, sessionId));
  }

  async #write(work: (db: Queryable, session: LockedSession) => Promise<void>): Promise<void> {
    const { sessionId, epoch } = this.#lease;
    for (;;) {
      try {
        return await this.#database.transaction(async (db) => {
          await work(db, await lockLeased(db, this.#schema, sessionId, epoch));
        });
      } catch (error) {
        if (isHawserError(error, "lease_lost")) this.#holder.onLost(error);
        if (!isHawserError(error, "database_unavailable") || this.#holder.isOver()) throw error;
      }
      await delay(RETRY_DELAY_MS);
    }
  }

  get #schema(): string {
    return this.#database.schema;
  }

  async load({ sessionId, subpath }: SessionKey): Promise<SessionStoreEntry[] | null> {
    if (!isSessionId(sessionId)) return null;
    return await loadEntries(this.#database, this.#schema, sessionId, subpath ?? MAIN);
  }

  async listSubkeys({ sessionId }: { sessionId: string }): Promise<string[]> {
    if (!isSessionId(sessionId)) return [];
    return await listSubpaths(this.#database, this.#schema, sessionId);
  }
}

const RETRY_DELAY_MS = 250;

/** The CLI began another session, for example by `/clear`. Nothing protects it, so its entries are not taken. */
function otherSession(given: string, leased: string): HawserError {
  return new HawserError(
    "lease_lost",
    `The session ${given} is not the one that this host has the lease of, which is ${leased}.`,
    {
      sessionId: given,
      hint: "Do not begin another session in the same process, as `/clear` does.",
    },
  );
}
