import { spawn } from "node:child_process";

/**
 * Kills a CLI and its process group if this process is killed: a shell waits for a pipe to close, which
 * happens then. Call the returned function when the CLI has ended by itself. On Windows there is no such
 * shell, so the CLI only notices the end of its input.
 */
export function startGuard(pid) {
  if (process.platform === "win32" || pid === undefined) return () => {};
  const guard = spawn("/bin/sh", ["-c", SCRIPT, String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    // In a group of its own, so that a signal to our group does not kill it.
    detached: true,
    cwd: "/",
  });
  guard.on("error", () => {
    // Without a shell there is no guard.
  });
  guard.stdin.on("error", () => {
    // The guard was already killed.
  });
  guard.unref();
  return () => guard.kill("SIGKILL");
}

const SCRIPT = 'read -r _; kill -s KILL -- "-$0" || kill -s KILL "$0"';
