import { statSync } from "node:fs";

/** Synchronous, because under load the libuv thread pool queue costs more than the `stat` itself. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, or hidden from this user: no directory either way.
    return false;
  }
}
