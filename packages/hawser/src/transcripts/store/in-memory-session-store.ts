import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionSummaryEntry,
} from "../../options/index.js";
import { foldSessionSummary } from "../list/fold-session-summary.js";

interface Session {
  readonly projectKey: string;
  readonly sessionId: string;
  /** By subpath. */
  readonly transcripts: Map<string, Transcript>;
  mtime: number;
  summary: SessionSummaryEntry | undefined;
}

interface Transcript {
  readonly entries: SessionStoreEntry[];
  readonly uuids: Set<string>;
}

/** A `SessionStore` in memory, for tests and as an example. */
export class InMemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, Session>();
  #lastTime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const session = this.#sessionFor(key);
    const subpath = key.subpath ?? MAIN;
    const transcript = session.transcripts.get(subpath) ?? { entries: [], uuids: new Set() };
    session.transcripts.set(subpath, transcript);
    const added = entries.filter((entry) => isNew(entry, transcript));
    for (const entry of structuredClone(added)) transcript.entries.push(entry);
    if (subpath !== MAIN) return;
    session.mtime = this.#time();
    const { mtime, summary } = session;
    session.summary = foldSessionSummary(summary, key, added, { mtime });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const transcript = this.#find(key)?.transcripts.get(key.subpath ?? MAIN);
    return transcript === undefined ? null : structuredClone(transcript.entries);
  }

  /** Lists the sessions of a project, in no particular order. */
  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    return this.#ofProject(projectKey).map(({ sessionId, mtime }) => ({ sessionId, mtime }));
  }

  /** Returns copies of the summaries. Sessions without a summary are left out. */
  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    return this.#ofProject(projectKey).flatMap(({ summary }) =>
      summary === undefined ? [] : [structuredClone(summary)],
    );
  }

  /** Deletes a session with its sub-agents, or the one sub-agent that the key names. */
  async delete(key: SessionKey): Promise<void> {
    if (key.subpath === undefined) this.#sessions.delete(nameOf(key));
    else this.#find(key)?.transcripts.delete(key.subpath);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const subpaths = [...(this.#find(key)?.transcripts.keys() ?? [])];
    return subpaths.filter((subpath) => subpath !== MAIN);
  }

  /** The entries of a key; none for a key that was never written. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    const transcript = this.#find(key)?.transcripts.get(key.subpath ?? MAIN);
    return structuredClone(transcript?.entries ?? []);
  }

  /** The number of sessions. */
  get size(): number {
    return [...this.#sessions.values()].filter(({ transcripts }) => transcripts.has(MAIN)).length;
  }

  /** Deletes all sessions. */
  clear(): void {
    this.#sessions.clear();
  }

  #find(key: { projectKey: string; sessionId: string }): Session | undefined {
    return this.#sessions.get(nameOf(key));
  }

  #sessionFor({ projectKey, sessionId }: SessionKey): Session {
    const known = this.#find({ projectKey, sessionId });
    if (known !== undefined) return known;
    const summary = undefined;
    const created = { projectKey, sessionId, transcripts: new Map(), mtime: 0, summary };
    this.#sessions.set(nameOf(created), created);
    return created;
  }

  #ofProject(projectKey: string): Session[] {
    return [...this.#sessions.values()].filter(
      (session) => session.projectKey === projectKey && session.transcripts.has(MAIN),
    );
  }

  /** Increases with each call, so that two writes in one millisecond have an order. */
  #time(): number {
    this.#lastTime = Math.max(Date.now(), this.#lastTime + 1);
    return this.#lastTime;
  }
}

/** The subpath of the main transcript. A real subpath is never empty. */
const MAIN = "";

/** An entry can come twice, and is kept once. An entry without a uuid is always new. */
function isNew({ uuid }: SessionStoreEntry, { uuids }: Transcript): boolean {
  if (uuid === undefined) return true;
  if (uuids.has(uuid)) return false;
  uuids.add(uuid);
  return true;
}

function nameOf({ projectKey, sessionId }: { projectKey: string; sessionId: string }): string {
  return JSON.stringify([projectKey, sessionId]);
}
