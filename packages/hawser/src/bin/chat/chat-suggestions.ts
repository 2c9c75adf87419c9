import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { FindSuggestions, Suggestion, Suggestions } from "../terminal/input/suggestions.js";

/** The words that Tab completes in a conversation at this moment. */
export interface ChatVocabulary {
  /** Without the slash. */
  readonly commands: readonly string[];
  /** What may follow a command, by its name. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly cwd: string;
}

/**
 * Completes commands, what may follow them, and paths: after `@`, and in words with a slash. A word at
 * the beginning that no command begins with may be a path, such as `/etc`.
 */
export function chatSuggestions(known: () => ChatVocabulary): FindSuggestions {
  return (text, cursor) => {
    const before = text.slice(0, cursor);
    const { commands, values, cwd } = known();
    const name = /^\/([^\s/]*)$/.exec(before)?.[1];
    if (name !== undefined) {
      const found = beginningWith(name, commands).map((each) => `/${each}`);
      if (found.length > 0) return { from: 0, all: found.map(whole) };
    }
    const [, command = "", value = ""] = /^\/(\S+)[^\S\n]+(\S*)$/.exec(before) ?? [];
    if (Object.hasOwn(values, command)) {
      const all = beginningWith(value, values[command] ?? []).map(whole);
      return { from: cursor - value.length, all };
    }
    return pathsFor(before, cwd);
  };
}

function beginningWith(start: string, names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => name.startsWith(start)).sort();
}

function whole(text: string): Suggestion {
  return { text, isWhole: true };
}

function pathsFor(before: string, cwd: string): Suggestions | undefined {
  const [, word = ""] = /(?:^|\s)(@"[^"\n]*|\S*)$/.exec(before) ?? [];
  const sign = /^@"?/.exec(word)?.[0] ?? "";
  const path = word.slice(sign.length);
  if (sign === "" && !path.includes("/")) return undefined;
  const cut = path.lastIndexOf("/") + 1;
  const [folder, start] = [path.slice(0, cut), path.slice(cut)];
  const entries = entriesOf(resolve(cwd, withHome(folder) || "."), start);
  // The CLI reads a path with blanks only in quotation marks.
  const isQuoted = sign === '@"' || (sign === "@" && entries.some(({ name }) => /\s/.test(name)));
  const all = entries.map(({ name, isFolder }): Suggestion => {
    const text = `${folder}${name}${isFolder ? "/" : ""}`;
    const quoted = isQuoted ? `@"${text}${isFolder ? "" : '"'}` : `${sign}${text}`;
    return { text: quoted, isWhole: !isFolder };
  });
  return { from: before.length - word.length, all };
}

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A name with a control character could not be shown or typed. */
function entriesOf(folder: string, start: string): Entry[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name.startsWith(start) && !/[\p{C}"]/u.test(name))
      .filter(({ name }) => start.startsWith(".") || !name.startsWith("."))
      .map((entry) => ({
        name: entry.name,
        isFolder: entry.isSymbolicLink()
          ? isFolder(resolve(folder, entry.name))
          : entry.isDirectory(),
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return []; // There is no such folder, or it may not be read.
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // A link that leads nowhere.
  }
}

function withHome(path: string): string {
  return path.startsWith("~/") ? `${homedir()}${path.slice(1)}` : path;
}
