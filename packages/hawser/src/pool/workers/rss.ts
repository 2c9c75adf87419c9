import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";

/** The resident memory of a process, without its children's; undefined if it cannot be learned. */
export async function rssMbOf(
  pid: number,
  platform: NodeJS.Platform = process.platform,
): Promise<number | undefined> {
  // For ps, numbers up to 0 are not the id of one process.
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const kb = platform === "linux" ? kbByProc(pid) : await kbByPs(pid);
  return kb === undefined ? undefined : kb / 1024;
}

/**
 * Synchronous, because the kernel makes the file at once, and a thread would take longer to be asked. Reads
 * `status` and not `statm`, because `statm` counts in pages and Node does not report their size.
 */
function kbByProc(pid: number): number | undefined {
  try {
    // A zombie process has no such line.
    return numberIn(/^VmRSS:\s*(\d+) kB$/m, readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return undefined;
  }
}

function kbByPs(pid: number): Promise<number | undefined> {
  const env = { LC_ALL: "C", PATH: "/bin:/usr/bin" };
  const limits = { timeout: 5000, killSignal: "SIGKILL", env } as const;
  return new Promise((resolve) => {
    execFile("ps", ["-o", "rss=", "-p", String(pid)], limits, (error, stdout) => {
      resolve(error === null ? numberIn(/^\s*(\d+)\s*$/, stdout) : undefined);
    });
  });
}

/** 0 counts as unknown, because a living process always uses memory. */
function numberIn(shape: RegExp, text: string): number | undefined {
  return Number(shape.exec(text)?.[1]) || undefined;
}
