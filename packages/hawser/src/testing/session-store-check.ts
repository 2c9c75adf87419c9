/** The store as the checks use it. Every `SessionStore` fits. */
export interface CheckedStore {
  /** Adds entries at the end of a transcript. */
  append(key: CheckedKey, entries: CheckedEntry[]): Promise<void>;
  /** All entries of a transcript; null if there is none. */
  load(key: CheckedKey): Promise<CheckedEntry[] | null>;
  /** The sessions of a project. */
  listSessions?(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  /** The summaries of a project's sessions. */
  listSessionSummaries?(
    projectKey: string,
  ): Promise<{ sessionId: string; mtime: number; data: Record<string, unknown> }[]>;
  /** Removes a transcript, and with the main one all others of its session. */
  delete?(key: CheckedKey): Promise<void>;
  /** The `subpath` of each transcript beside the main one. */
  listSubkeys?(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/** The key of one transcript, as `SessionKey`. */
export interface CheckedKey {
  projectKey: string;
  sessionId: string;
  subpath?: string;
}

/** One line of a transcript, as `SessionStoreEntry`. */
export interface CheckedEntry {
  type: string;
  uuid?: string;
  timestamp?: string;
  [field: string]: unknown;
}

/** One thing that a session store must do. */
export interface SessionStoreCheck {
  /** What the store must do, as the title of a test. */
  readonly name: string;
  /** The optional method that the check is about. Skip the check for a store without it. */
  readonly needs?: "listSessions" | "listSessionSummaries" | "delete" | "listSubkeys";
  /**
   * Rejects with an AssertionError if the store does not do it. The check uses sessions of its own, so that one
   * store can serve all checks, one after another or at the same time.
   */
  run(store: CheckedStore): Promise<void>;
}

/** The options of `sessionStoreChecks()`. */
export interface SessionStoreCheckOptions {
  /**
   * False for a store that finds a session by its id alone, so that the project key is only a label for lists.
   * @default true
   */
  readonly projectKeys?: boolean;
}
