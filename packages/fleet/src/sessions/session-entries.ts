import { randomUUID } from "node:crypto";
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from "hawser";
import { foldSessionSummary } from "hawser";
import type { Queryable } from "../database/database.js";
import type { LockedSession } from "./session-row.js";

/** An entry with the name under which it is stored once. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: SessionStoreEntry;
}

/**
 * Names the entries of one append: by their uuid, or else by a name of the append, so that the same append can be
 * repeated after a failure.
 */
export function nameEntries(entries: readonly SessionStoreEntry[]): NamedEntry[] {
  const append = randomUUID();
  const seen = new Set<string>();
  return entries.flatMap((entry, place) => {
    const name = uuidOf(entry) ?? `${append}/${place}`;
    if (seen.has(name)) return [];
    seen.add(name);
    return [{ name, entry }];
  });
}

/** The CLI writes the entries, so a uuid may be anything. Postgres refuses a text with the character U+0000. */
function uuidOf({ uuid }: SessionStoreEntry): string | undefined {
  return typeof uuid === "string" && !uuid.includes("\0") ? uuid : undefined;
}

/** Adds entries to a session whose row is locked. An entry that is stored already is left out. Numbers have no gaps. */
export async function insertEntries(
  db: Queryable,
  schema: string,
  key: SessionKey,
  batch: readonly NamedEntry[],
  session: LockedSession,
): Promise<void> {
  const subpath = key.subpath ?? MAIN;
  const stored = await storedNames(db, schema, key.sessionId, subpath, batch);
  const added = batch.filter(({ name }) => !stored.has(name));
  if (added.length === 0) return;
  // JSON has no line break of its own. As an array, pg would escape each character: seconds for a large entry.
  const lines = added.map(({ entry }) => JSON.stringify(entry)).join("\n");
  await db.query(
    `insert into ${schema}.entry (session_id, subpath, seq, uuid, epoch, body)
     select $1, $2, $3::bigint + place - 1, uuid, $4, body
     from unnest($5::text[], string_to_array($6, E'\\n')) with ordinality as line (uuid, body, place)`,
    [key.sessionId, subpath, session.nextSeq, session.epoch, added.map(({ name }) => name), lines],
  );
  const seq = session.nextSeq + added.length;
  const entries = added.map(({ entry }) => entry);
  if (subpath === MAIN) {
    await describeSession(db, schema, key, entries, { ...session, nextSeq: seq });
  } else {
    await numberNext(db, schema, key.sessionId, seq);
  }
}

/** The subpath of the main transcript. A real subpath is never empty. */
export const MAIN = "";

async function storedNames(
  db: Queryable,
  schema: string,
  sessionId: string,
  subpath: string,
  batch: readonly NamedEntry[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ uuid: string }>(
    `select uuid from ${schema}.entry where session_id = $1 and subpath = $2 and uuid = any($3::text[])`,
    [sessionId, subpath, batch.map(({ name }) => name)],
  );
  return new Set(rows.map(({ uuid }) => uuid));
}

async function numberNext(
  db: Queryable,
  schema: string,
  sessionId: string,
  nextSeq: number,
): Promise<void> {
  await db.query(`update ${schema}.session set next_seq = $2 where id = $1`, [sessionId, nextSeq]);
}

/** Keeps what listings show. The time grows with each write, so that two writes of one millisecond have an order. */
async function describeSession(
  db: Queryable,
  schema: string,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  { summary, nextSeq }: LockedSession,
): Promise<void> {
  const { sessionId, projectKey } = key;
  const data = summary === null ? {} : (JSON.parse(summary) as SessionSummaryEntry["data"]);
  const folded = foldSessionSummary({ sessionId, mtime: 0, data }, key, entries).data;
  const title = folded["customTitle"] ?? folded["aiTitle"];
  await db.query(
    `update ${schema}.session set next_seq = $2, summary = $3, title = $4,
       project_key = case when project_key = '' then $5 else project_key end,
       mtime = greatest(date_trunc('milliseconds', clock_timestamp()), mtime + interval '1 millisecond')
     where id = $1`,
    [
      sessionId,
      nextSeq,
      JSON.stringify(folded),
      typeof title === "string" ? title.replaceAll("\0", "") : null,
      projectKey,
    ],
  );
}

/** All entries of a transcript; null if there are none. */
export async function loadEntries(
  db: Queryable,
  schema: string,
  sessionId: string,
  subpath: string,
): Promise<SessionStoreEntry[] | null> {
  const { rows } = await db.query<{ body: string }>(
    `select body from ${schema}.entry where session_id = $1 and subpath = $2 order by seq`,
    [sessionId, subpath],
  );
  return rows.length === 0 ? null : rows.map(({ body }) => JSON.parse(body) as SessionStoreEntry);
}

/** The subpaths of the sub-agents of a session. */
export async function listSubpaths(
  db: Queryable,
  schema: string,
  sessionId: string,
): Promise<string[]> {
  const { rows } = await db.query<{ subpath: string }>(
    `select distinct subpath from ${schema}.entry where session_id = $1 and subpath <> '' order by subpath`,
    [sessionId],
  );
  return rows.map(({ subpath }) => subpath);
}

/** The sessions of a project with what is known about them, in no particular order. */
export async function listSummaries(
  db: Queryable,
  schema: string,
  projectKey: string,
): Promise<SessionSummaryEntry[]> {
  const { rows } = await db.query<{ id: string; mtime: Date; summary: string | null }>(
    `select id, mtime, summary from ${schema}.session where project_key = $1 and mtime is not null`,
    [projectKey],
  );
  return rows.map(({ id, mtime, summary }) => ({
    sessionId: id,
    mtime: mtime.getTime(),
    data: summary === null ? {} : (JSON.parse(summary) as SessionSummaryEntry["data"]),
  }));
}

/**
 * Deletes a transcript: of a sub-agent, or all of a session. The row of a session that runs refer to stays, because
 * it holds the fence. Whoever had the lease has lost it.
 */
export async function deleteEntries(
  db: Queryable,
  schema: string,
  sessionId: string,
  subpath: string | undefined,
): Promise<void> {
  if (subpath !== undefined) {
    await db.query(`delete from ${schema}.entry where session_id = $1 and subpath = $2`, [
      sessionId,
      subpath,
    ]);
    return;
  }
  await db.query(
    `delete from ${schema}.session as s where id = $1
     and not exists (select 1 from ${schema}.run where session_id = s.id)`,
    [sessionId],
  );
  await clearEntries(db, schema, sessionId);
  await db.query(
    `update ${schema}.session set epoch = epoch + 1, holder = null, expires_at = null where id = $1`,
    [sessionId],
  );
}

/** Deletes all transcripts of a session, and keeps its row and its lease. */
export async function clearEntries(
  db: Queryable,
  schema: string,
  sessionId: string,
): Promise<void> {
  await db.query(`delete from ${schema}.entry where session_id = $1`, [sessionId]);
  await db.query(
    `update ${schema}.session set next_seq = 0, title = null, summary = null, mtime = null where id = $1`,
    [sessionId],
  );
}
