import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HawserError } from "hawser";
import type { Database } from "../../database/database.js";
import type { RunInfo } from "../../runs/run.js";
import { isUuid } from "../../runs/run-not-found.js";
import type { WorkOptions, Workspace } from "../worker.js";

/** Where a run works: what the worker's option says, or else the folder of the profile, or else a folder of its own. */
export async function openWorkspace(
  database: Database,
  run: RunInfo,
  option: WorkOptions["workspace"] | undefined,
  profileCwd: string | undefined,
): Promise<Workspace> {
  if (option !== undefined) return await option(run);
  return profileCwd === undefined ? await emptyWorkspace(database, run) : { cwd: profileCwd };
}

/**
 * The default workspace: a folder for each run, empty at first. It is removed when the run is settled, so that a run
 * that was parked finds its files again on the same machine.
 */
async function emptyWorkspace(database: Database, { id }: RunInfo): Promise<Workspace> {
  const cwd = join(tmpdir(), `${PREFIX}${id}`);
  try {
    await mkdir(cwd, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    await refuseForeign(cwd);
  }
  const dispose = async (settled: boolean) => {
    // Not removed here: since it ended, somebody may have tried the run again, and its next segment uses the folder.
    if (settled) await sweepWorkspaces(database, id);
  };
  return { cwd, dispose };
}

const PREFIX = "hawser-run-";

/** The folders of ended runs get such a name before they are removed, so that a run that is tried again finds none. */
const REMOVED_PREFIX = "hawser-removed-run-";

/** Everybody may write in the folder for temporary files, so that somebody may have made the folder before. */
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === process.getuid?.()) return;
  throw new HawserError("cwd_not_found", `${folder} exists and belongs to somebody else.`, {
    hint: "Remove it, or set the option `workspace` of the worker.",
  });
}

/**
 * Removes the default workspaces of this user on this machine whose runs have ended without this worker: on another
 * host, in the queue, or while they waited for a person. With `only`, it looks at the folder of this run.
 */
export async function sweepWorkspaces(database: Database, only?: string): Promise<void> {
  const names = only === undefined ? await readdir(tmpdir()) : [`${PREFIX}${only}`];
  const own: string[] = [];
  const removed: string[] = [];
  for (const name of names) {
    const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
    const folder = join(tmpdir(), name);
    if (isUuid(id) && (await isOwn(folder))) own.push(id);
    // A worker was killed while it removed this one.
    if (name.startsWith(REMOVED_PREFIX) && (await isOwn(folder))) removed.push(folder);
  }
  if (own.length > 0) removed.push(...(await setAside(database, own)));
  for (const folder of removed) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Renames the folders of those runs that have ended. The runs are locked meanwhile, so that none of them is tried again
 * before its folder has the other name. A run that somebody else has locked may be about to be tried again.
 */
async function setAside(database: Database, ids: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  await database.transaction(async (db) => {
    const { rows } = await db.query<{ id: string }>(
      `select id from ${database.schema}.run where id = any($1::uuid[]) and ended_at is not null
       for share skip locked`,
      [ids],
    );
    for (const { id } of rows) {
      const folder = join(tmpdir(), `${REMOVED_PREFIX}${randomUUID()}`);
      const isRenamed = await rename(join(tmpdir(), `${PREFIX}${id}`), folder).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
          return false; // Another worker was faster.
        },
      );
      if (isRenamed) removed.push(folder);
    }
  });
  return removed;
}

/** Whether a worker of this user has made the folder. */
async function isOwn(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined) return false; // Another worker was faster.
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
}

export async function disposeWorkspace(workspace: Workspace, settled: boolean): Promise<void> {
  if (workspace.dispose !== undefined) await workspace.dispose(settled);
  else await workspace[Symbol.asyncDispose]?.();
}
