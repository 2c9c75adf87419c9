import { type Stats, statSync } from "node:fs";
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { HawserError } from "hawser";

/**
 * The folder in which programs of this user announce themselves. XDG_RUNTIME_DIR counts only if it is a folder of this
 * user: it may be left over from another login, or from another user after `su`.
 */
export function runtimeFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_RUNTIME_DIR = "" } = env;
  if (XDG_RUNTIME_DIR.startsWith("/") && isOwnFolder(XDG_RUNTIME_DIR)) {
    return join(XDG_RUNTIME_DIR, "hawser");
  }
  return join(tmpdir(), `hawser-${process.geteuid?.() ?? "user"}`);
}

function isOwnFolder(path: string): boolean {
  try {
    const found = statSync(path);
    return found.isDirectory() && isOwn(found);
  } catch {
    return false;
  }
}

/**
 * Makes the folder if it is missing. Throws `not_supported` if it is a link or belongs to another user, because
 * such a user could pretend to be a program of this one.
 */
export async function ensureRuntimeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await checkRuntimeFolder(folder);
}

/** Throws as `ensureRuntimeFolder()` does. Makes the folder private if it is not. */
export async function checkRuntimeFolder(folder: string): Promise<void> {
  const parent = await lstat(dirname(folder));
  if (mayOthersRename(parent))
    throw refused(folder, "is in a folder in which others can rename it");
  const found = await lstat(folder);
  if (!found.isDirectory()) throw refused(folder, "is a link or a file");
  if (!isOwn(found)) throw refused(folder, "belongs to another user");
  if ((found.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
}

/** Whether a file belongs to this user. Windows knows no such number. */
export function isOwn({ uid }: { readonly uid: number }): boolean {
  const own = process.geteuid?.();
  return own === undefined || uid === own;
}

/** Throws `not_supported` if the file is not a socket of this user: another program could listen in its place. */
export async function checkOwnSocket(path: string): Promise<void> {
  const found = await lstat(path);
  if (!found.isSocket() || !isOwn(found)) throw refused(path, "is no socket of this user");
}

/** In a folder with the sticky bit, such as /tmp, only its owner renames a file. */
function mayOthersRename({ mode, uid }: Stats): boolean {
  if (process.geteuid === undefined) return false;
  if (uid !== 0 && !isOwn({ uid })) return true;
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}

function refused(folder: string, why: string): HawserError {
  return new HawserError("not_supported", `${folder} ${why}, so it is not used.`, {
    hint: "Remove it, or set XDG_RUNTIME_DIR to a folder of this user.",
  });
}
