import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HawserError } from "hawser";
import type { Database } from "../../database/database.js";
import type { RunInfo } from "../../runs/run.js";
import type { WorkOptions, Workspace } from "../worker.js";

/** Where a run works: what the worker's option says, or else the folder of the profile, or else a folder of its own. */
export async function openWorkspace(
  run: RunInfo,
  option: WorkOptions["workspace"] | undefined,
  profileCwd: string | undefined,
): Promise<Workspace> {
  if (option !== undefined) return await option(run);
  return profileCwd === undefined ? await emptyWorkspace(run) : { cwd: profileCwd };
}

/**
 * The default workspace: a folder for each run, empty at first. It is removed when the run is settled, so that a run
 * that was parked finds its files again on the same machine.
 */
async function emptyWorkspace({ id }: RunInfo): Promise<Workspace> {
  const cwd = join(tmpdir(), `${PREFIX}${id}`);
  try {
    await mkdir(cwd, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    await refuseForeign(cwd);
  }
  const dispose = async (settled: boolean) => {
    if (settled) await rm(cwd, { recursive: true, force: true });
  };
  return { cwd, dispose };
}

const PREFIX = "hawser-run-";

/** Everybody may write in the folder for temporary files, so that somebody may have made the folder before. */
async function refuseForeign(folder: string): Promise<void> {
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === process.getuid?.()) return;
  throw new HawserError("cwd_not_found", `${folder} exists and belongs to somebody else.`, {
    hint: "Remove it, or set the option `workspace` of the worker.",
  });
}

/** Removes the default workspaces on this machine whose runs were settled by other hosts. */
export async function sweepWorkspaces(database: Database): Promise<void> {
  const folders = await readdir(tmpdir());
  const runs = folders.flatMap((name) => {
    const id = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : "";
    return /^[\da-f-]{36}$/.test(id) ? [id] : [];
  });
  if (runs.length === 0) return;
  const { rows } = await database.query<{ id: string }>(
    `select id from ${database.schema}.run where id = any($1::uuid[]) and ended_at is not null`,
    [runs],
  );
  for (const { id } of rows) {
    const folder = join(tmpdir(), `${PREFIX}${id}`);
    // A folder of another user is the business of that user's worker.
    await refuseForeign(folder).then(
      () => rm(folder, { recursive: true, force: true }),
      () => {},
    );
  }
}

export async function disposeWorkspace(workspace: Workspace, settled: boolean): Promise<void> {
  if (workspace.dispose !== undefined) await workspace.dispose(settled);
  else await workspace[Symbol.asyncDispose]?.();
}
