export interface SessionKey {
  readonly projectKey: string;
  readonly sessionId: string;
  /** Set for the transcript of a sub-agent. */
  readonly subpath?: string;
}

export type SessionStoreEntry = Readonly<Record<string, unknown>>;

/** A place of the caller's own that transcripts are mirrored to and resumed from. */
export interface SessionStore {
  append(key: SessionKey, entries: readonly SessionStoreEntry[]): Promise<void>;
  load(key: SessionKey): Promise<readonly SessionStoreEntry[] | null>;
  listSessions?(
    projectKey: string,
  ): Promise<readonly { readonly sessionId: string; readonly mtime: number }[]>;
  delete?(key: SessionKey): Promise<void>;
  listSubkeys?(key: SessionKey): Promise<readonly string[]>;
}
