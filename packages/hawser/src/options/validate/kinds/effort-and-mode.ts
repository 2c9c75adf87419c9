import { differsByOne, type Kind, kind, plainOf } from "../../../base/index.js";
import type { PermissionMode } from "../../../wire/index.js";

/** The known levels of effort. */
export const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** The known permission modes. */
export const PERMISSION_MODES: readonly (PermissionMode | "manual")[] = [
  "default",
  "acceptEdits",
  "plan",
  "dontAsk",
  "auto",
  "bypassPermissions",
  "manual",
];

/** Any word, because a newer CLI may know more levels than hawser. */
export const effort: Kind = { ...kind.argument, name: "word" };

/** Any word except a misspelled known mode, because a newer CLI may know more modes. */
export const permissionMode: Kind = {
  name: "word",
  *problems(value, path) {
    yield* kind.argument.problems(value, path);
    const meant = typeof value === "string" ? misspeltMode(value) : undefined;
    if (meant === undefined) return;
    const list = PERMISSION_MODES.map((mode) => `"${mode}"`).join(", ");
    yield {
      path,
      message: `must be one of ${list}; did you mean "${meant}"?`,
      hint: `Use "${meant}".`,
    };
  },
};

/** The mode that a word differs from only in upper and lower case, in dashes, or in one letter. */
export function misspeltMode(word: string): string | undefined {
  if (isKnown(word, PERMISSION_MODES)) return undefined;
  return PERMISSION_MODES.find(
    (mode) => plainOf(mode) === plainOf(word) || differsByOne(mode, word),
  );
}

export function isKnown(word: string, words: readonly string[]): boolean {
  return words.includes(word);
}
