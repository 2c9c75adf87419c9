// What a host has left behind after its exit: processes with its mark, and temporary files.
import { readdirSync, readFileSync } from "node:fs";

/** A variable in the environment of the host and of all processes that it has started. */
export const MARK = "HAWSER_CHAOS_RUN";

export function processesOf(mark) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
        if (!environment.includes(`${MARK}=${mark}`)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        // A zombie has no command line.
        return command === "" ? [] : [{ pid: Number(pid), command }];
      } catch {
        return []; // It has ended in the meantime, or is another user's.
      }
    });
}

/** Looks repeatedly until the limit, because processes need a moment to exit. */
export async function remainsOf(mark, folder, limitMs) {
  const until = Date.now() + limitMs;
  for (;;) {
    const alive = processesOf(mark);
    const files = readdirSync(folder);
    if ((alive.length === 0 && files.length === 0) || Date.now() > until) {
      return { alive, files };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
