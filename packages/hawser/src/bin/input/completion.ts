import { oneLine } from "../terminal.js";
import { wrapText } from "../wrap.js";

/** A text that may stand in place of the word before the cursor. */
export interface Candidate {
  readonly text: string;
  /** Whether the word is complete with it, so that a space follows. A folder is not. */
  readonly isWhole: boolean;
}

/** What may stand in place of the text from `from` to the cursor. */
export interface Candidates {
  readonly from: number;
  readonly all: readonly Candidate[];
}

/** Finds what the person may have begun to type; undefined if nothing is known about it. */
export type FindCandidates = (text: string, cursor: number) => Candidates | undefined;

/** What Tab does. */
export interface Completion {
  readonly from: number;
  /** Stands in place of the text from `from` to the cursor. */
  readonly text: string;
  /** What the person is shown: more than one, or none. */
  readonly choices: readonly string[];
}

/** Completes the word before the cursor as far as all candidates agree. */
export function complete(
  text: string,
  cursor: number,
  find: FindCandidates,
): Completion | undefined {
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

function commonStart(candidates: readonly Candidate[]): string {
  const [first = [], ...others] = candidates.map(({ text }) => [...text]);
  let length = 0;
  while (length < first.length && others.every((each) => each[length] === first[length])) {
    length += 1;
  }
  return first.slice(0, length).join("");
}

/** The choices as a person is shown them, on a screen of so many columns. */
export function listOf(choices: readonly string[], columns: number): string {
  const shown = choices.slice(0, LONGEST_LIST).map((each) => oneLine(each, LONGEST_CHOICE));
  const more = choices.length - shown.length;
  const all = more > 0 ? [...shown, `and ${more.toLocaleString("en")} more`] : shown;
  return wrapText(`  ${all.join("  ")}`, columns);
}

const LONGEST_LIST = 60;
/** In columns. */
const LONGEST_CHOICE = 60;
