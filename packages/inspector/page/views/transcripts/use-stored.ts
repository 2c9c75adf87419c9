import { useEffect, useMemo, useState } from "preact/hooks";
import { objectOf, textField } from "../../base/json.js";
import { listOf, nativePath, problemOf } from "../../net/api.js";
import type { PageState } from "../../state/page-state.js";
import type { StoredSession } from "./transcript-shape.js";

/** A session on disk, where it was found, and the text around what was searched for. */
export interface StoredRow {
  readonly source: string;
  readonly session: StoredSession;
  readonly excerpt?: string;
}

export interface Stored {
  /** How many changes of this page were made before it was read. */
  readonly readAfter: number;
  readonly rows: readonly StoredRow[] | undefined;
  /** False if a search has not read all transcripts. */
  readonly isComplete: boolean;
  /** Whether there are older sessions than those. */
  readonly hasMore: boolean;
  readonly problem: string | undefined;
}

const NOTHING: Stored = {
  readAfter: -1,
  rows: undefined,
  isComplete: true,
  hasMore: false,
  problem: undefined,
};

/**
 * Lists or searches the sessions of all sources, the newest first. A session that several sources know is listed once.
 * `pages` says how many pages of the list are wanted.
 */
export function useStored(page: PageState, query: string, pages: number, changes: number): Stored {
  const [stored, setStored] = useState<Stored>(NOTHING);
  const sources = page.sources.map(({ info }) => info.id).join(" ");
  /** What was read of the list, so that the next page is read and not all of them again. */
  const lists = useMemo(() => new Map<string, SourceList>(), [page, sources, changes]);
  useEffect(() => {
    const leave = new AbortController();
    const read = async () => {
      const found =
        query === ""
          ? await listSessions(page, lists, pages, leave.signal)
          : await searchSessions(page, query, leave.signal);
      if (!leave.signal.aborted) setStored({ ...found, readAfter: changes, problem: undefined });
    };
    const fail = (error: unknown) => {
      if (leave.signal.aborted) return;
      setStored({ ...NOTHING, readAfter: changes, rows: [], problem: problemOf(error) });
    };
    // A search waits until the person has stopped to type.
    const timer = setTimeout(() => void read().catch(fail), query === "" ? 0 : TYPING_MS);
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
    // The names of the sources say when to read again.
  }, [page, query, pages, lists, changes]);
  return stored;
}

const TYPING_MS = 200;
const PAGE = 100;

type Found = Pick<Stored, "rows" | "isComplete" | "hasMore">;

/** The newest sessions of one source, as far as they were read. */
interface SourceList {
  readonly rows: readonly StoredRow[];
  readonly pages: number;
  /** The query for the next page; undefined at the end. */
  readonly next: string | undefined;
}

async function listSessions(
  page: PageState,
  lists: Map<string, SourceList>,
  pages: number,
  signal: AbortSignal,
): Promise<Found> {
  const { values, isComplete } = await ofEachSource(page, async (source) => {
    let list: SourceList = lists.get(source) ?? { rows: [], pages: 0, next: "" };
    while (list.pages < pages && list.next !== undefined) {
      list = await readPage(page, source, list, list.next, signal);
      lists.set(source, list);
    }
    return list;
  });
  // Of a source that has more, the next page can be newer than the end of the list of another one.
  const ends = values.flatMap(({ rows, next }) =>
    next === undefined ? [] : [rows.at(-1)?.session.lastModified ?? 0],
  );
  const horizon = Math.max(0, ...ends);
  const rows = newestFirst(values.flatMap((list) => list.rows)).filter(
    ({ session }) => session.lastModified >= horizon,
  );
  return { rows, isComplete, hasMore: ends.length > 0 };
}

async function readPage(
  page: PageState,
  source: string,
  { rows, pages }: SourceList,
  query: string,
  signal: AbortSignal,
): Promise<SourceList> {
  const path = nativePath(source, `/sessions?stored=1&limit=${PAGE}${query}`);
  const body = await page.api.get(path, signal);
  const found = listOf<StoredSession>(body, "stored");
  const all = [...rows, ...found.map((session) => ({ source, session }))];
  return { rows: all, pages: pages + 1, next: nextPage(body) };
}

/** The query for the page after this one; undefined at the end. */
function nextPage(body: unknown): string | undefined {
  const before = textField(objectOf(body), "next");
  return before === undefined ? undefined : `&before=${encodeURIComponent(before)}`;
}

async function searchSessions(page: PageState, query: string, signal: AbortSignal): Promise<Found> {
  const path = `/sessions?q=${encodeURIComponent(query)}&limit=${PAGE}`;
  const answers = await ofEachSource(page, async (source) => {
    const body = await page.api.get(nativePath(source, path), signal);
    const hits = listOf<Omit<StoredRow, "source">>(body, "hits").map((hit) => ({ source, ...hit }));
    return { hits, isComplete: objectOf(body)["isComplete"] !== false };
  });
  return {
    rows: newestFirst(answers.values.flatMap(({ hits }) => hits)),
    isComplete: answers.isComplete && answers.values.every(({ isComplete }) => isComplete),
    hasMore: false,
  };
}

/** Asks all sources. One that has just ended must not hide the others. */
async function ofEachSource<T>(
  page: PageState,
  read: (source: string) => Promise<T>,
): Promise<{ readonly values: readonly T[]; readonly isComplete: boolean }> {
  const settled = await Promise.allSettled(page.sources.map(({ info }) => read(info.id)));
  const values = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = settled.find((each) => each.status === "rejected");
  if (values.length === 0 && failed !== undefined) throw failed.reason;
  return { values, isComplete: failed === undefined };
}

function newestFirst(rows: readonly StoredRow[]): readonly StoredRow[] {
  const known = new Map<string, StoredRow>();
  for (const row of rows) {
    if (!known.has(row.session.sessionId)) known.set(row.session.sessionId, row);
  }
  return [...known.values()].sort((a, b) => b.session.lastModified - a.session.lastModified);
}
