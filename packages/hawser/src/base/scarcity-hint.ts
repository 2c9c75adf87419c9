/**
 * What to do about a system error that means that the system lacks a resource for now; undefined
 * for every other code. Such an error can pass. It says nothing about the requested file or user.
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
