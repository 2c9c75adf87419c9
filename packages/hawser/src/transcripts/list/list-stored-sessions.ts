import { HawserError } from "../../base/index.js";
import type { SessionStore, SessionStoreEntry, SessionSummaryEntry } from "../../options/index.js";
import { currentFolder } from "../../process/index.js";
import { parseTimestamp } from "../files/entry.js";
import { canonicalPath, projectKeyOf } from "../files/project-paths.js";
import type { ListSessionsOptions, SDKSessionInfo } from "../types.js";
import { foldSessionSummary } from "./fold-session-summary.js";
import { mapConcurrently } from "./map-concurrently.js";
import { pageBounds } from "./page.js";
import { sessionInfoOf, sessionInfoOfSummary } from "./session-digest.js";
import { userInputOf } from "./user-input.js";

/**
 * The sessions of a store, from its summaries where these are up to date, else from the entries.
 */
export async function storedSessions(
  store: SessionStore,
  options: ListSessionsOptions,
): Promise<SDKSessionInfo[]> {
  const projectKey = await projectKeyOf(options.dir);
  const cwd = await canonicalPath(options.dir ?? currentFolder());
  const { offset, wanted } = pageBounds(options);
  const rows = await rowsOf(store, projectKey);
  rows.sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? 1 : -1));
  const show = async ({ sessionId, mtime, summary }: Row): Promise<SDKSessionInfo | undefined> => {
    if (summary !== undefined) return sessionInfoOfSummary(summary, cwd);
    const entries = await store.load({ projectKey, sessionId });
    return entries === null
      ? undefined
      : infoOfEntries(sessionId, entries, { lastModified: mtime, cwd });
  };
  const infos = await mapConcurrently(
    rows,
    Array.from({ length: CONCURRENCY }),
    show,
    offset + wanted,
  );
  return infos.slice(offset);
}

/** One session of a store. Its last entry gives the time. */
export async function storedSessionInfo(
  sessionId: string,
  store: SessionStore,
  dir: string | undefined,
): Promise<SDKSessionInfo | undefined> {
  const projectKey = await projectKeyOf(dir);
  const entries = await store.load({ projectKey, sessionId });
  if (entries === null) return undefined;
  const last = entries.findLast(({ timestamp }) => parseTimestamp(timestamp) !== undefined);
  const lastModified = parseTimestamp(last?.timestamp) ?? Date.now();
  return infoOfEntries(sessionId, entries, { lastModified });
}

/** Calls of `load()` that run at the same time. */
const CONCURRENCY = 8;

interface Row {
  readonly sessionId: string;
  readonly mtime: number;
  /** Absent if there is none or it is older than the last write. */
  readonly summary?: SessionSummaryEntry;
}

async function rowsOf(store: SessionStore, projectKey: string): Promise<Row[]> {
  if (store.listSessions === undefined && store.listSessionSummaries === undefined) {
    throw new HawserError("invalid_options", "The session store has no listSessions().", {
      hint: "Add a listSessions() or listSessionSummaries() method to the store.",
    });
  }
  const summaries = (await store.listSessionSummaries?.(projectKey)) ?? [];
  const known = new Map(summaries.map((summary) => [summary.sessionId, summary]));
  if (store.listSessions === undefined) {
    return summaries.map((summary) => ({ ...summary, summary }));
  }
  const sessions = await store.listSessions(projectKey);
  return sessions.map(({ sessionId, mtime }) => {
    const summary = known.get(sessionId);
    const fresh = summary !== undefined && summary.mtime >= mtime;
    return { sessionId, mtime, ...(fresh ? { summary } : {}) };
  });
}

function infoOfEntries(
  sessionId: string,
  entries: readonly SessionStoreEntry[],
  facts: { lastModified: number; cwd?: string },
): SDKSessionInfo | undefined {
  const { data } = foldSessionSummary(undefined, { projectKey: "", sessionId }, entries);
  const bytes = (entry: SessionStoreEntry) => Buffer.byteLength(JSON.stringify(entry)) + 1;
  const fileSize = entries.reduce((size, entry) => size + bytes(entry), 0);
  const hasImage = entries.some((entry) => userInputOf(entry)?.kind === "image");
  const fallbackSummary = hasImage ? "Image" : undefined;
  return sessionInfoOf(sessionId, data, { ...facts, fileSize, fallbackSummary });
}
