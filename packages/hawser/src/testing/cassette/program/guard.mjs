import { spawn } from "node:child_process";

/**
 * Ends a CLI, and its group, when this process dies in a way that it cannot see coming: a shell waits
 * at a pipe that closes then. Call what it returns when the CLI has ended by itself. Windows has no
 * such shell; there the end of its input is all that a CLI notices.
 */
export function startGuard(pid) {
  if (process.platform === "win32" || pid === undefined) return () => {};
  const guard = spawn("/bin/sh", ["-c", SCRIPT, String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    // A signal to our group must not take it along.
    detached: true,
    cwd: "/",
  });
  guard.on("error", () => {
    // No shell: then there is no guard.
  });
  guard.stdin.on("error", () => {
    // It was ended by somebody.
  });
  guard.unref();
  return () => guard.kill("SIGKILL");
}

const SCRIPT = 'read -r _; kill -s KILL -- "-$0" || kill -s KILL "$0"';
