import { existsSync, statSync } from "node:fs";

/** What is wrong with a working directory, as a sentence. */
export function cwdProblem(cwd: string | undefined): string {
  const isThere = cwd !== undefined && existsSync(cwd);
  return `The working directory ${cwd} ${isThere ? "is not a directory" : "does not exist"}.`;
}

/** Synchronous, because under load the libuv thread pool queue costs more than the `stat` itself. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, or hidden from this user: no directory either way.
    return false;
  }
}
