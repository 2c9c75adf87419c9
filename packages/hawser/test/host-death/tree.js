// What the kernel says about a program's processes; nothing here asks the library.
import { readdirSync, readFileSync } from "node:fs";

/**
 * Everything below a process, and everything that has `mark` in its environment: what has lost its
 * parent is found by the mark, what has lost its environment by its parents.
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

/** Those that still live: the same process, not a later one of the same number. */
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
