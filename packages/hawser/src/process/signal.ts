import { spawnSync } from "node:child_process";

/** Signals a process that leads a group of its own, and the group with it. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === "win32") {
    const force = signal === "SIGKILL" ? ["/F"] : [];
    spawnSync("taskkill", ["/PID", String(pid), "/T", ...force], { windowsHide: true });
    return;
  }
  if (!signalOne(-pid, signal)) signalOne(pid, signal);
}

/** False when there is no such process any more. */
export function signalOne(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // ESRCH: gone. EPERM: it has become another user's, and so is not ours.
    return false;
  }
}
