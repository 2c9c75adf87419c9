import { readdirSync, readFileSync } from "node:fs";

/** A process as the kernel shows it. Read here by code of the tests' own, not by the library's. */
export interface Seen {
  readonly pid: number;
  readonly ppid: number;
  readonly started: string;
  readonly command: string;
}

export function everyProcess(): Seen[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => see(Number(name)) ?? []);
}

/** Everything below a process, that process first. */
export function treeOf(pid: number): Seen[] {
  const all = everyProcess();
  const tree = all.filter((each) => each.pid === pid);
  for (const above of tree) tree.push(...all.filter((each) => each.ppid === above.pid));
  return tree;
}

export function isAlive(pid: number): boolean {
  return everyProcess().some((each) => each.pid === pid);
}

export function stillAlive(seen: readonly Seen[]): Seen[] {
  return seen.filter((each) => see(each.pid)?.started === each.started);
}

export function environmentOf(pid: number): string {
  return readFileSync(`/proc/${pid}/environ`, "utf8");
}

export function commandLineOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8");
}

/** Waits until something is so. The test's own time limit ends a wait that never comes true. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function see(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, ppid, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = commandLineOf(pid).replaceAll("\0", " ").trim();
    return { pid, ppid: Number(ppid), started: rest[17] ?? "", command };
  } catch {
    return undefined; // It has ended in the meantime.
  }
}
