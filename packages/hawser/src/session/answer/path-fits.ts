import { isAbsolute, join, resolve } from "node:path";
import { matchesWildcard } from "../../options/index.js";
import { homeFolder } from "../../process/index.js";
import type { PermissionContext } from "./permission-context.js";
import { realPath } from "./real-path.js";

/** Whether a path of a call fits the pattern of a rule, which allows or does not. */
export type PathFits = (pattern: string, path: string, allows: boolean) => boolean;

/**
 * Compares the paths of one decision. A rule that allows looks only at the file that would really be
 * touched, with all links resolved. A rule that denies or asks fits if the path as it was written
 * fits, or the file that it leads to, or if its target cannot be determined.
 *
 * Each path and each pattern is looked up once, however many rules and calls name it.
 */
export function pathFits(context: PermissionContext): PathFits {
  const folder = resolve(context.cwd ?? ".");
  const pathOf = once((path: string) => {
    const whole = resolve(context.callCwd ?? folder, expanded(path, context));
    return { whole, real: realPath(whole) };
  });
  const patternsOf = once((pattern: string): readonly string[] => {
    if (pattern.startsWith("*")) return [pattern];
    const text = expanded(pattern, context);
    const whole = isAbsolute(text) ? text : join(folder, text);
    const isInside = whole === folder || whole.startsWith(join(folder, "/"));
    // A pattern's links are resolved only on the way to the session's own folder, because the caller
    // chose that folder, but a link below it may have been made by another author.
    const real = isInside ? pathOf(folder).real : undefined;
    const moved = real === undefined ? [] : [join(real, whole.slice(folder.length))];
    return [pattern, whole, ...moved];
  });
  return (pattern, path, allows) => {
    const patterns = patternsOf(pattern);
    const fits = (text: string) => patterns.some((each) => matchesWildcard(each, text));
    const spellingFits = (spelling: string) => {
      const { whole, real } = pathOf(spelling);
      if (allows) return real !== undefined && fits(real);
      return real === undefined || fits(spelling) || fits(whole) || fits(real);
    };
    const spellings = spellingsOf(path);
    return allows ? spellings.every(spellingFits) : spellings.some(spellingFits);
  };
}

/**
 * The path as it was written, and as the CLI may read it: some tools drop blanks around a path and
 * normalise its letters after the hooks were asked.
 */
function spellingsOf(path: string): readonly string[] {
  return [...new Set([path, path.trim().normalize("NFC")])];
}

function expanded(path: string, { home }: PermissionContext): string {
  return /^~(?=$|[/\\])/.test(path) ? (home ?? homeFolder() ?? "~") + path.slice(1) : path;
}

/** The function with a memory for its results. */
function once<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.has(key) ? (known.get(key) as T) : find(key);
    known.set(key, found);
    return found;
  };
}
