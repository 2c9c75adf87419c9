import type { ProcessEntry } from "./process-table.js";

export interface TableRow extends ProcessEntry {
  readonly ppid: number;
}

/** The process itself and everything below it, by the parents in `rows`. */
export function rowsBelow(
  root: number,
  rows: readonly TableRow[],
  isOurs: (pid: number) => boolean = () => true,
): ProcessEntry[] {
  const found: ProcessEntry[] = [];
  const queue = [root];
  const seen = new Set<number>();
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next) || !isOurs(next)) continue;
    seen.add(next);
    for (const row of rows) {
      if (row.pid === next) found.push(row);
      if (row.ppid === next) queue.push(row.pid);
    }
  }
  return found;
}

/** The parent of a process, the parent of that parent, and so on. */
export function pidsAbove(pid: number, parentOf: (pid: number) => number | undefined): number[] {
  const found: number[] = [];
  for (let next = parentOf(pid); next !== undefined && next > 0; next = parentOf(next)) {
    found.push(next);
  }
  return found;
}

export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process of another user exists, though it cannot be signalled.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
