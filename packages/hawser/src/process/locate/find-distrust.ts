import { lstatSync, realpathSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import type { RefusedReason } from "./inspect-candidate.js";

/**
 * Why a file that was found without being named must not be run, or undefined if it may be run.
 *
 * `base` is already trusted: it is hawser's own file, whose code runs in this program, or the
 * current directory if the caller trusts it. A file is as trustworthy as `base` if no other user
 * can have put it there. So the file, its folders and the links that lead to it must belong to
 * root, to the current user or to the owner of `base`, and other users must not be able to write to
 * them. Folders that hold `base` itself are not checked, because a user who can change them can
 * replace `base`. A file that such a user puts there belongs to that user, and is refused because
 * of its owner. A sticky folder such as /tmp is allowed, because in a sticky folder a user cannot
 * replace another user's files.
 *
 * Write access of the group is ignored, because Homebrew's and Debian's own folders have it.
 */
export function findDistrust(path: string, base: string): RefusedReason | undefined {
  // Windows has neither user numbers nor modes.
  if (process.geteuid === undefined) return undefined;
  const known = lstatSync(base, { throwIfNoEntry: false });
  const owners = new Set([0, process.geteuid(), ...(known === undefined ? [] : [known.uid])]);
  // Some mounts, such as Windows drives in WSL, show every file as writable by all, even hawser
  // itself.
  const allMayWrite = known?.isFile() && isWritableByAll(known);
  const trusted = new Set([base, ...foldersOf(base), ...foldersOf(realpathOf(base))]);
  for (const each of new Set([...wayTo(path), ...wayTo(realpathOf(path))])) {
    if (trusted.has(each)) continue;
    const stat = lstatSync(each, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (!owners.has(stat.uid)) return { code: "other_owner", path: each, uid: stat.uid };
    if (!allMayWrite && isWritableByAll(stat)) return { code: "writable_by_all", path: each };
  }
  return undefined;
}

const STICKY = 0o1000;
const OTHERS_WRITE = 0o002;

function isWritableByAll(stat: Stats): boolean {
  // The mode of a link means nothing. A sticky folder may be writable by all users, because in a
  // sticky folder a user cannot replace another user's files.
  if (stat.isSymbolicLink() || (stat.isDirectory() && (stat.mode & STICKY) !== 0)) return false;
  return (stat.mode & OTHERS_WRITE) !== 0;
}

function wayTo(path: string): string[] {
  return [path, ...foldersOf(path)];
}

function foldersOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersOf(parent)];
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // It does not exist, so there is nothing that could be run.
    return path;
  }
}
