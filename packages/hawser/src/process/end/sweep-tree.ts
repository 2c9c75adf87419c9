import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { type ProcessEntry, processTable } from "./process-table.js";

/**
 * Kills what is left of a tree after its root has exited: the processes recorded before, and every
 * process with the marker in its environment. A tool's shell leads its own session, so no signal to
 * the root's group reaches it. Resolves to the processes that still run after `limitMs`, normally
 * none.
 */
export async function sweepTree(
  known: Iterable<ProcessEntry>,
  marker: string,
  limitMs = 2000,
): Promise<ProcessEntry[]> {
  const deadline = Date.now() + limitMs;
  // A dying process no longer shows its environment, so a process that was found is checked by its
  // pid.
  let left = [...known];
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    left = killRemaining(left, marker);
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(pauseMs);
  }
}

/** One pass of `sweep()`: kills what it finds, and returns it. */
export function killRemaining(known: readonly ProcessEntry[], marker: string): ProcessEntry[] {
  const table = processTable();
  const left = new Map<number, ProcessEntry>();
  for (const entry of known) if (table.alive(entry)) left.set(entry.pid, entry);
  for (const entry of table.marked(marker)) left.set(entry.pid, entry);
  for (const { pid } of left.values()) signalOne(pid, "SIGKILL");
  return [...left.values()];
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
