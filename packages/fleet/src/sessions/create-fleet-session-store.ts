import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from "hawser";
import type { Database } from "../database/database.js";
import type { FleetSessionStore, SessionLease, TakeOptions } from "./fleet-sessions.js";
import {
  deleteEntries,
  insertEntries,
  listSubpaths,
  listSummaries,
  loadEntries,
  MAIN,
  nameEntries,
} from "./session-entries.js";
import { checkKey, isSessionId } from "./session-id.js";
import { lockFree } from "./session-row.js";
import { takeSession } from "./take-session.js";

/** What the store needs. */
export interface FleetSessionStoreParts {
  readonly database: Database;
  /** A holder that was silent for so long has lost its session. */
  readonly leaseMs: number;
  /** The name of this program, for the errors of others. */
  readonly holder: string;
}

/** The transcripts of the fleet. */
export function createFleetSessionStore(parts: FleetSessionStoreParts): FleetSessionStore {
  return new DatabaseSessionStore(parts);
}

class DatabaseSessionStore implements FleetSessionStore {
  readonly #parts: FleetSessionStoreParts;
  readonly #database: Database;
  readonly #schema: string;

  constructor(parts: FleetSessionStoreParts) {
    this.#parts = parts;
    this.#database = parts.database;
    this.#schema = parts.database.schema;
  }

  take(sessionId: string, options: TakeOptions = {}): Promise<SessionLease> {
    return takeSession(this.#parts, sessionId, options);
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkKey(key);
    if (entries.length === 0) return;
    const batch = nameEntries(entries);
    await this.#database.transaction(async (db) => {
      const session = await lockFree(db, this.#schema, key.sessionId, key.projectKey);
      await insertEntries(db, this.#schema, key, batch, session);
    });
  }

  async load({ sessionId, subpath }: SessionKey): Promise<SessionStoreEntry[] | null> {
    if (!isSessionId(sessionId)) return null;
    return await loadEntries(this.#database, this.#schema, sessionId, subpath ?? MAIN);
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const summaries = await this.listSessionSummaries(projectKey);
    return summaries.map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return await listSummaries(this.#database, this.#schema, projectKey);
  }

  async delete(key: SessionKey): Promise<void> {
    if (!isSessionId(key.sessionId)) return;
    checkKey(key);
    await this.#database.transaction(async (db) => {
      await lockFree(db, this.#schema, key.sessionId, key.projectKey);
      await deleteEntries(db, this.#schema, key.sessionId, key.subpath);
    });
  }

  async listSubkeys({ sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
    if (!isSessionId(sessionId)) return [];
    return await listSubpaths(this.#database, this.#schema, sessionId);
  }
}
