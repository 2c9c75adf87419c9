import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, parse, sep } from "node:path";

/**
 * The absolute path with all links resolved, also of a file that does not exist yet: then its longest
 * existing part counts. A link to a file that does not exist is followed too, because a write would
 * make that file. Undefined if the target cannot be determined.
 *
 * The model writes these paths, so the number of looks at the disk is bounded: the end of the existing
 * part is found by halving.
 */
export function realPath(path: string): string | undefined {
  let asked = path;
  try {
    for (let links = 0; links <= MOST_LINKS; links++) {
      if (isElsewhere(asked) || Buffer.byteLength(asked) > PATH_MAX) return undefined;
      const existing = resolved(asked);
      if (existing !== undefined) return existing;
      const { head, tail } = existingPart(asked);
      const real = resolved(head);
      // Nothing can be below a part that does not exist, so `..` behind it leads nowhere.
      if (real !== undefined) return tail.includes("..") ? undefined : join(real, ...tail);
      const target = readlinkSync(head);
      const start = isAbsolute(target) ? target : realpathSync.native(dirname(head)) + sep + target;
      // Not normalised, because `..` behind a link means the parent of the folder it leads to.
      asked = [start, ...tail].join(sep);
    }
  } catch {
    return undefined; // For example a folder that is not readable, or a loop of links.
  }
  return undefined;
}

/** The longest path that Linux accepts, in bytes. */
const PATH_MAX = 4096;

/** As many as Linux follows in one path. */
const MOST_LINKS = 40;

/** These links lead to other places for this program than for the CLI. */
function isElsewhere(path: string): boolean {
  return /^\/(?:proc|dev\/fd)(?:\/|$)/.test(path);
}

/** Undefined if the file, or what a link leads to, does not exist. */
function resolved(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The longest part of the path at which there is a file, a folder or a link, and the names behind it. */
function existingPart(path: string): { head: string; tail: string[] } {
  const { root } = parse(path);
  const names = path
    .slice(root.length)
    .split(sep === "/" ? "/" : /[\\/]/)
    .filter((name) => name !== "" && name !== ".");
  const headOf = (count: number) => root + names.slice(0, count).join(sep);
  let most = names.length;
  let least = 0;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    const isThere = lstatSync(headOf(middle), { throwIfNoEntry: false }) !== undefined;
    if (isThere) least = middle;
    else most = middle - 1;
  }
  return { head: headOf(least), tail: names.slice(least) };
}
