// The processes of a program as the kernel shows them, without the library.
import { readdirSync, readFileSync } from "node:fs";

/**
 * Every process below `root`, and every process with `mark` in its environment. An orphan is found by
 * the mark, and a process with another environment by its parents.
 */
export function treeOf(root, mark) {
  const all = everyProcess();
  const found = new Set(
    all.filter(({ pid }) => pid !== root && read(`/proc/${pid}/environ`).includes(mark)),
  );
  const above = [root, ...[...found].map(({ pid }) => pid)];
  for (const ppid of above) {
    for (const each of all) {
      if (each.ppid !== ppid || found.has(each)) continue;
      found.add(each);
      above.push(each.pid);
    }
  }
  return [...found];
}

/** The processes that are still alive. A later process with the same pid does not count. */
export function living(seen) {
  return seen.filter(({ pid, started }) => see(pid)?.started === started);
}

function everyProcess() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => see(Number(name)) ?? []);
}

function see(pid) {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ppid, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat === "" || state === "Z" || state === "X") return undefined;
  const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  return { pid, ppid: Number(ppid), started: rest[17], command };
}

function read(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // It has ended in the meantime.
  }
}
