import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { like } from "../../options/index.js";
import { homeFolder } from "../../process/index.js";
import type { PermissionContext } from "./permission-context.js";

/**
 * Whether a path of a call fits the pattern of a rule. A rule that allows looks only at the file that
 * would really be touched, with all links resolved. A rule that denies or asks fits if the path as
 * it was written fits, or the file that it leads to, or if nobody can tell where it leads.
 */
export function pathFits(
  pattern: string,
  path: string,
  allows: boolean,
  context: PermissionContext,
): boolean {
  const from = context.callCwd ?? folderOf(context);
  const whole = resolve(from, expanded(path, context));
  const real = realPathOf(whole);
  const patterns = patternsOf(pattern, context);
  const fits = (text: string) => patterns.some((each) => like(each, text));
  if (allows) return real !== undefined && fits(real);
  return real === undefined || fits(path) || fits(whole) || fits(real);
}

/**
 * The pattern as it is written, and as it is meant. Of its links only those on the way to the session's own folder
 * are resolved: the caller chose that folder, but a link below it may be the work of somebody else.
 */
function patternsOf(pattern: string, context: PermissionContext): readonly string[] {
  if (pattern.startsWith("*")) return [pattern];
  const folder = folderOf(context);
  const text = expanded(pattern, context);
  const whole = isAbsolute(text) ? text : join(folder, text);
  const real = realPathOf(folder);
  const isInside = whole === folder || whole.startsWith(join(folder, "/"));
  const moved = isInside && real !== undefined ? [join(real, whole.slice(folder.length))] : [];
  return [pattern, whole, ...moved];
}

function folderOf({ cwd }: PermissionContext): string {
  return resolve(cwd ?? ".");
}

function expanded(path: string, { home }: PermissionContext): string {
  return /^~(?=$|[/\\])/.test(path) ? (home ?? homeFolder() ?? "~") + path.slice(1) : path;
}

/**
 * The path with all links resolved, also of a file that does not exist yet: then its longest existing
 * part counts. A link to a file that does not exist is followed too, because a write would make that file.
 * Undefined if nobody can tell, for example in a folder that is not readable.
 */
function realPathOf(path: string): string | undefined {
  // These links lead to other places for this program than for the CLI.
  if (/^\/(?:proc|dev\/fd)(?:\/|$)/.test(path)) return undefined;
  let head = path;
  let tail = "";
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    try {
      return join(realpathSync.native(head), tail);
    } catch (error) {
      if (!isMissing(error)) return undefined;
    }
    const target = linkAt(head);
    if (target !== undefined) head = resolve(dirname(head), target);
    else {
      tail = join(basename(head), tail);
      if (dirname(head) === head) return path;
      head = dirname(head);
    }
  }
  return undefined;
}

const MOST_STEPS = 4096;

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // It does not exist, and its parent is looked at next.
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOENT" || code === "ENOTDIR";
}
