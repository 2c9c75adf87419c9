import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { type ProcessEntry, processTable } from "./process-table.js";
import { type SharedSearch, sharedSearch } from "./shared-search.js";

/**
 * Kills what is left of a tree after its root has exited: the processes recorded before, and every
 * process with the marker in its environment. A tool's shell leads its own session, so no signal to
 * the root's group reaches it. Resolves to the processes that still run after `limitMs`, normally
 * none.
 */
export async function sweepTree(
  recorded: Iterable<ProcessEntry>,
  marker: string,
  { search = sharedSearch, limitMs = 2000 }: SweepOptions = {},
): Promise<ProcessEntry[]> {
  const deadline = Date.now() + limitMs;
  let left = [...recorded];
  // Where a process has escaped the record, more may have, so the last search reads everything.
  let hasEscaped = false;
  let anew = false;
  let misses = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    const expected = left;
    // A dying process no longer shows its environment, so a process that was found is checked by
    // its pid.
    const known = killThese(expected);
    const { found: marked, isCertain, hasMissed } = await search.find(marker, anew);
    const found = killThese(marked);
    const escaped = without(marked, expected);
    hasEscaped ||= escaped.length > 0;
    left = union(known, found);
    if (Date.now() > deadline) return left;
    // A daemon that becomes another process all the time can slip through a search, or between a search and
    // the signal.
    const hasSlipped = without(escaped, found).length > 0;
    const mayHaveSlipped = hasSlipped || (hasMissed && (hasEscaped || misses < MOST_MISSES));
    if (mayHaveSlipped) misses += 1;
    if (left.length > 0 || !isCertain || mayHaveSlipped) await delay(pauseMs);
    else if (anew || !hasEscaped) return [];
    else anew = true;
  }
}

/** On a busy machine, processes of others come and go all the time. */
const MOST_MISSES = 2;

export interface SweepOptions {
  readonly search?: Pick<SharedSearch, "find">;
  readonly limitMs?: number;
}

/** Kills those of the processes that still run, and returns them. */
export function killThese(entries: readonly ProcessEntry[]): ProcessEntry[] {
  const table = processTable();
  const living = entries.filter((entry) => table.alive(entry));
  for (const { pid } of living) signalOne(pid, "SIGKILL");
  return living;
}

function union(some: readonly ProcessEntry[], more: readonly ProcessEntry[]): ProcessEntry[] {
  return [...new Map([...some, ...more].map((entry) => [entry.pid, entry])).values()];
}

function without(some: readonly ProcessEntry[], others: readonly ProcessEntry[]): ProcessEntry[] {
  return some.filter(({ pid }) => others.every((other) => other.pid !== pid));
}

/** Signals a process that leads its own group, together with the group. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    const force = signal === "SIGKILL" ? ["/F"] : [];
    spawnSync("taskkill", ["/PID", String(pid), "/T", ...force], { windowsHide: true });
    return;
  }
  if (!signalOne(-pid, signal)) signalOne(pid, signal);
}

/** False if the process no longer exists. */
export function signalOne(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // ESRCH: the process is gone. EPERM: it has become another user's process.
    return false;
  }
}
