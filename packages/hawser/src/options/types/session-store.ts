/** Names one transcript in a store. */
export interface SessionKey {
  /** The working directory as a name: what the CLI calls its folder below `projects`. */
  projectKey: string;
  sessionId: string;
  /** Set for the transcript of a sub-agent: its path below the session, less the ending. */
  subpath?: string;
}

/** One line of a transcript. Only what every line may have is typed; the rest is the CLI's own. */
export interface SessionStoreEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** What a store keeps about a session so that a list of sessions needs no transcript. */
export interface SessionSummaryEntry {
  sessionId: string;
  /** When the store wrote it, by the clock that `listSessions` tells. */
  mtime: number;
  /** Made by `foldSessionSummary`; to be kept as it is. */
  data: Record<string, unknown>;
}

/** When entries go to a store: at the end of a turn, or each batch of the CLI at once. */
export type SessionStoreFlush = "batched" | "eager";

/** A place of the caller's own that transcripts are mirrored to and resumed from. */
export interface SessionStore {
  /** Entries with a `uuid` may come twice, after a failure or an import: keep them once. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
  /** All entries of a key in the order of their arrival; null for a key that was never written. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
  /** One of the two lists is needed, or `listSessions()` cannot use the store. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** Spares `listSessions()` from loading every transcript. */
  listSessionSummaries?(projectKey: string): Promise<SessionSummaryEntry[]>;
  /** Without it, `deleteSession()` leaves the store as it is. */
  delete?(key: SessionKey): Promise<void>;
  /** The `subpath` of everything that lies below a session. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
