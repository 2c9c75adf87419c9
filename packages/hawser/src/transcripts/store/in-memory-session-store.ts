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
  readonly entries: Map<string, SessionStoreEntry[]>;
  mtime: number;
  summary: SessionSummaryEntry | undefined;
}

/** A `SessionStore` in memory, for tests and as an example. */
export class InMemorySessionStore implements SessionStore {
  readonly #sessions = new Map<string, Session>();
  #lastTime = 0;

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const session = this.#sessionFor(key);
    const subpath = key.subpath ?? MAIN;
    const known = session.entries.get(subpath) ?? [];
    session.entries.set(subpath, known);
    for (const entry of structuredClone(entries)) known.push(entry);
    if (subpath !== MAIN) return;
    session.mtime = this.#time();
    const { mtime, summary } = session;
    session.summary = foldSessionSummary(summary, key, entries, { mtime });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = this.#find(key)?.entries.get(key.subpath ?? MAIN);
    return entries === undefined ? null : structuredClone(entries);
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
    else this.#find(key)?.entries.delete(key.subpath);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const subpaths = [...(this.#find(key)?.entries.keys() ?? [])];
    return subpaths.filter((subpath) => subpath !== MAIN);
  }

  /** The entries of a key; none for a key that was never written. */
  getEntries(key: SessionKey): SessionStoreEntry[] {
    return structuredClone(this.#find(key)?.entries.get(key.subpath ?? MAIN) ?? []);
  }

  /** The number of sessions. */
  get size(): number {
    return [...this.#sessions.values()].filter(({ entries }) => entries.has(MAIN)).length;
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
    const created = { projectKey, sessionId, entries: new Map(), mtime: 0, summary: undefined };
    this.#sessions.set(nameOf(created), created);
    return created;
  }

  #ofProject(projectKey: string): Session[] {
    return [...this.#sessions.values()].filter(
      (session) => session.projectKey === projectKey && session.entries.has(MAIN),
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

function nameOf({ projectKey, sessionId }: { projectKey: string; sessionId: string }): string {
  return JSON.stringify([projectKey, sessionId]);
}
