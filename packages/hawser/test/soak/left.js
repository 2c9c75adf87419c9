// The resources that a program holds. A comparison of before and after shows what was left behind.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Counts of all resources that can be left behind, by name. */
export function holdings() {
  const counts = {};
  const count = (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  for (const each of process.getActiveResourcesInfo()) count(`active ${each}`);
  for (const name of process.eventNames()) {
    counts[`listeners of ${String(name)}`] = process.listenerCount(name);
  }
  for (const name of descriptors()) count(`descriptor ${name}`);
  for (const command of children()) count(`process ${command}`);
  return counts;
}

/** The resources that are more than before. */
export function more(before, after) {
  return Object.entries(after)
    .filter(([name, count]) => count > (before[name] ?? 0))
    .map(([name, count]) => `${name}: ${count} instead of ${before[name] ?? 0}`);
}

/** Looks repeatedly until the limit, because closing takes a moment. */
export async function leftSince(before, limitMs) {
  const until = performance.now() + limitMs;
  for (;;) {
    const left = more(before, holdings());
    if (left.length === 0 || performance.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function descriptors() {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      // Each pipe and socket has a new number.
      return [
        readlinkSync(`/proc/self/fd/${fd}`)
          .replace(/\[\d+\]$/, "")
          .replace(/^\/proc\/\d+/, "/proc/self"),
      ];
    } catch {
      return []; // The one that read the folder.
    }
  });
}

function children() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
        const [, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(ppid) === process.pid ? [stat.slice(0, stat.lastIndexOf(")") + 1)] : [];
      } catch {
        return []; // It has ended in the meantime.
      }
    });
}
