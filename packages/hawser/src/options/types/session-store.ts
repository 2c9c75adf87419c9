/** The key of one transcript in a `SessionStore`. */
export interface SessionKey {
  /** The working directory as the CLI writes it in the name of its folder below `projects`. */
  projectKey: string;
  sessionId: string;
  /** For the transcript of a sub-agent: its path below the session, without the file extension. */
  subpath?: string;
}

/** One line of a transcript. Fields that only some lines have are not typed. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** A summary of a session, so that `listSessions()` need not load its transcript. */
export interface SessionSummaryEntry {
  sessionId: string;
  /** When the store wrote the session, by the same clock as in `SessionStore.listSessions()`. */
  mtime: number;
  /** Made by `foldSessionSummary()`. Keep it unchanged. */
  data: Record<string, unknown>;
}

/** When entries are written to a store: at the end of a turn, or with each batch of the CLI. */
export type SessionStoreFlush = "batched" | "eager";

/**
 * A store of your own, such as a database, that transcripts are mirrored to and resumed from.
 * `InMemorySessionStore` is an example.
 */
export interface SessionStore {
  /** Adds entries. After a failure or an import an entry can come twice: keep each `uuid` once. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** Returns all entries of a key in the order of their arrival; null for an unknown key. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** Lists the sessions of a project. `listSessions()` needs this or `listSessionSummaries()`. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Lists summaries, so that `listSessions()` need not load every transcript. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Deletes a transcript. Without this method, `deleteSession()` leaves the store unchanged. */
  delete?(key: SessionKey): Promise<void>;
  /** Lists the `subpath` of every transcript below a session. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
