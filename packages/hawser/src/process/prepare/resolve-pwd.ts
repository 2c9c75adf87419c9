import { realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Options } from "../../options/index.js";
import { currentFolderIfAny } from "../host-folders.js";

/**
 * The value of PWD for a process in the folder `cwd`: an absolute path without `.` and `..` that
 * leads there. As in a shell, a path over symbolic links stays as the caller wrote it if it leads
 * to the same folder. Undefined if the folder is unknown.
 */
export function resolvePwd({ cwd }: Pick<Options, "cwd">): string | undefined {
  const own = currentFolderIfAny();
  const folder = statOf(cwd ?? own);
  // A custom spawn function may start the CLI where this folder exists, such as in a container.
  if (folder === undefined) return isNormalizedAbsolute(cwd) ? cwd : undefined;
  const written = cwd === undefined ? process.env["PWD"] : resolve(own ?? "/", cwd);
  // A `..` behind a symbolic link leads to the parent of its target, which the text does not show.
  if (isNormalizedAbsolute(written) && isSameFolder(folder, statOf(written))) return written;
  // `realpathSync()` without `.native` removes `..` from the text first.
  return realpathSync.native(cwd ?? own ?? "/");
}

function isNormalizedAbsolute(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path) && resolve(path) === path;
}

function isSameFolder(one: Stats, other: Stats | undefined): boolean {
  return one.dev === other?.dev && one.ino === other.ino;
}

function statOf(path: string | undefined): Stats | undefined {
  try {
    return path === undefined ? undefined : statSync(path);
  } catch {
    // Missing, or hidden from this user: nothing is known about it.
    return undefined;
  }
}
