// What a host has left behind when it is gone: processes that carry its mark, and temporary files.
import { readdirSync, readFileSync } from "node:fs";

/** In the environment of the host, and so of all that it has started. */
export const MARK = "HAWSER_CHAOS_RUN";

export function processesOf(mark) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
        if (!environment.includes(`${MARK}=${mark}`)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        // One that is dead already, and waits to be buried.
        return command === "" ? [] : [{ pid: Number(pid), command }];
      } catch {
        return []; // It has ended in the meantime, or is another user's.
      }
    });
}

/** Asks again for a while: what was told to end needs a moment. */
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
