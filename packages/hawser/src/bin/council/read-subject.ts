import type { HawserError } from "../../base/index.js";
import { LARGEST_SUBJECT } from "../../council/index.js";
import { usageError } from "../command/flags.js";
import { readPiped } from "../command/read-prompt.js";
import { countUntracked, gitDiff } from "./git-diff.js";

/** What is piped in, or else the changes of the folder since its last commit, or those of a range. */
export async function readSubject(
  range: string | undefined,
  cwd: string,
  warn: (text: string) => void,
): Promise<string> {
  const piped = range === undefined ? await readPiped(warn, LARGEST_SUBJECT) : "";
  if (piped.includes("\0")) {
    throw usageError("What is piped in is no text: it contains NUL.", "Pipe a text in.");
  }
  return piped.trim() === "" ? readChanges(range, cwd, warn) : piped;
}

/** The changes as Git tells them. Warns of new files that Git does not track, because they are in no diff. */
export async function readChanges(
  range: string | undefined,
  cwd: string,
  warn: (text: string) => void,
): Promise<string> {
  const diff = await gitDiff(cwd, range);
  const untracked = range === undefined ? await countUntracked(cwd) : 0;
  if (diff.trim() === "") throw nothingChanged(range, untracked);
  if (untracked > 0) warn(`${newFiles(untracked)} not reviewed. ${ADD}`);
  return diff;
}

function nothingChanged(range: string | undefined, untracked: number): HawserError {
  const since = range === undefined ? "since the last commit" : `in ${range}`;
  if (untracked === 0) {
    const hint = "Name a range: hawser council --range main...HEAD";
    return usageError(`Nothing has changed ${since}.`, hint);
  }
  return usageError(`Nothing has changed ${since}, but ${newFiles(untracked)} not reviewed.`, ADD);
}

function newFiles(count: number): string {
  return count === 1
    ? "1 new file or folder that Git does not track is"
    : `${count} new files and folders that Git does not track are`;
}

const ADD = "To review new files, add them: git add --intent-to-add .";
