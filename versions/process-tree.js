import { readdirSync, readFileSync } from "node:fs";

/**
 * A process as the kernel shows it. It is read here and not by the library, which the checks examine.
 * @typedef {{ pid: number, parent: number, started: string, command: string }} Seen
 */

/**
 * Everything below a process, that process first.
 * @param {number} pid
 * @returns {Seen[]}
 */
export function treeOf(pid) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => see(Number(name)) ?? []);
  const tree = all.filter((each) => each.pid === pid);
  for (const above of tree) tree.push(...all.filter((each) => each.parent === above.pid));
  return tree;
}

/**
 * Those of the processes that still live. Another process that got the same id does not count.
 * @param {readonly Seen[]} seen
 */
export function stillAlive(seen) {
  return seen.filter((each) => see(each.pid)?.started === each.started);
}

/**
 * @param {number} pid
 * @returns {Seen | undefined}
 */
function see(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid, parent: Number(parent), started: rest[17] ?? "", command };
  } catch {
    return undefined; // It has ended in the meantime.
  }
}
