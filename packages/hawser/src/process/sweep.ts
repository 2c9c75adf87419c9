import { setTimeout as delay } from "node:timers/promises";
import { signalOne } from "./signal.js";
import { type Entry, processTable } from "./table.js";

/**
 * Kills what is left of a tree after its root has gone: the entries recorded before, and whatever
 * carries the marker in its environment. A tool's shell leads a session of its own, so no signal to
 * the root's group reaches it. Resolves to what outlived `limitMs`, normally nothing.
 */
export async function sweep(
  known: Iterable<Entry>,
  marker: string,
  limitMs = 2000,
): Promise<Entry[]> {
  const deadline = Date.now() + limitMs;
  // A dying process shows its environment no more, so what was found once is followed to its end.
  let left = [...known];
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 50)) {
    left = killLeft(left, marker);
    if (left.length === 0 || Date.now() > deadline) return left;
    await delay(pauseMs);
  }
}

/** One pass, for when there is no time for a second: what it finds gets its signal. */
export function killLeft(known: readonly Entry[], marker: string): Entry[] {
  const table = processTable();
  const left = new Map<number, Entry>();
  for (const entry of known) if (table.alive(entry)) left.set(entry.pid, entry);
  for (const entry of table.marked(marker)) left.set(entry.pid, entry);
  for (const { pid } of left.values()) signalOne(pid, "SIGKILL");
  return [...left.values()];
}
