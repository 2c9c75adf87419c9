/**
 * What to do about a system error that says that the system lacks a resource for now; undefined
 * for every other code. Such an error can pass, and it says nothing about the file or the user that was
 * asked for.
 */
export function scarcityHint(code: string | undefined): string | undefined {
  return HINTS.get(code ?? "");
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["EMFILE", "This program has too many open files: close some, or raise the limit (`ulimit -n`)."],
  ["ENFILE", "The system has too many open files: try again later."],
  ["EAGAIN", "This user has too many processes: end some, or raise the limit (`ulimit -u`)."],
  ["ENOMEM", "The system has too little memory: try again later."],
  ["ENOSPC", "The disk is full: make room on it."],
  ["EDQUOT", "The disk quota of this user is used up: make room."],
  ["EBUSY", "The file is in use: try again later."],
]);
