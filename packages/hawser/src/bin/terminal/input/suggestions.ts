import { oneLine } from "../../../base/index.js";
import { wrapText } from "../wrap-text.js";

/** A text that may replace the word before the cursor. */
export interface Suggestion {
  readonly text: string;
  /** Whether the word is complete with it, so that a space follows. A folder is not. */
  readonly isWhole: boolean;
}

/** The suggestions that may replace the text from `from` to the cursor. */
export interface Suggestions {
  readonly from: number;
  readonly all: readonly Suggestion[];
}

/** Finds suggestions for the text before the cursor; undefined if there is nothing to suggest from. */
export type FindSuggestions = (text: string, cursor: number) => Suggestions | undefined;

/** The change that Tab makes. */
export interface CompletedWord {
  readonly from: number;
  /** Replaces the text from `from` to the cursor. */
  readonly text: string;
  /** The suggestions to show; empty if there is only one. */
  readonly choices: readonly string[];
}

/** Completes the word before the cursor as far as all suggestions agree. */
export function completeWord(
  text: string,
  cursor: number,
  find: FindSuggestions,
): CompletedWord | undefined {
  const found = find(text, cursor);
  const [first] = found?.all ?? [];
  if (found === undefined || first === undefined) return undefined;
  const { from, all } = found;
  if (all.length > 1) {
    return { from, text: commonStart(all), choices: all.map((each) => each.text) };
  }
  const follows = first.isWhole && !/^\s/.test(text.slice(cursor)) ? " " : "";
  return { from, text: `${first.text}${follows}`, choices: [] };
}

function commonStart(suggestions: readonly Suggestion[]): string {
  const [first = [], ...others] = suggestions.map(({ text }) => [...text]);
  let length = 0;
  while (length < first.length && others.every((each) => each[length] === first[length])) {
    length += 1;
  }
  return first.slice(0, length).join("");
}

/** The choices as shown to the user, for a screen of a given width. */
export function suggestionList(choices: readonly string[], columns: number): string {
  const shown = choices.slice(0, LONGEST_LIST).map((each) => oneLine(each, LONGEST_CHOICE));
  const more = choices.length - shown.length;
  const all = more > 0 ? [...shown, `and ${more.toLocaleString("en")} more`] : shown;
  return wrapText(`  ${all.join("  ")}`, columns);
}

const LONGEST_LIST = 60;
/** In columns. */
const LONGEST_CHOICE = 60;
