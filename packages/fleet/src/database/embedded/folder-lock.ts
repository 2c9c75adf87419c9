import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ClusterFolder } from "./cluster-folder.js";
import { embeddedUnavailable } from "./embedded-unavailable.js";
import type { FolderOwner } from "./folder-owner.js";
import { LOCK_FUNCTION } from "./supervisor-script.js";

/** Holds the lock of the supervisor until the standard input ends. */
const SCRIPT = `
${LOCK_FUNCTION}
exec 9>>"$1" || exit 3
lock || exit 1
echo locked
while read -r line; do :; done
`;

/** Keeps all programs from starting the Postgres of a folder, until the returned function is called. */
export async function lockFolder(folder: ClusterFolder, owner: FolderOwner): Promise<() => void> {
  const child = spawn("/bin/sh", ["-c", SCRIPT, "hawser-lock", join(folder.path, "lock")], {
    ...owner,
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
  });
  const isLocked = await Promise.race([
    once(child.stdout, "data").then(() => true),
    once(child, "exit").then(() => false),
  ]);
  if (!isLocked) {
    throw embeddedUnavailable(`Other programs use the database in ${folder.path}.`, {
      hint: "End them first.",
    });
  }
  return () => child.stdin.end();
}
