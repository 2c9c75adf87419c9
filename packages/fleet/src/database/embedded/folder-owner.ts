import { execFile } from "node:child_process";
import { chownSync, statSync } from "node:fs";
import { promisify } from "node:util";
import type { ClusterFolder } from "./cluster-folder.js";
import { embeddedUnavailable } from "./embedded-unavailable.js";

/** As whom the programs of Postgres run: options for `spawn()`. Empty means as this program. */
export interface FolderOwner {
  readonly uid?: number;
  readonly gid?: number;
}

/** Who runs the Postgres of a folder that root opens, if the folder does not say it. */
const OWNER_VARIABLE = "HAWSER_POSTGRES_USER";

/**
 * Postgres refuses to run as root. If this program does, Postgres runs as the owner of the folder; a folder of root
 * is given to the user of HAWSER_POSTGRES_USER, or to `nobody`.
 */
export async function folderOwner(folder: ClusterFolder): Promise<FolderOwner> {
  const own = process.getuid?.();
  const stat = statSync(folder.path);
  if (own !== 0) {
    if (stat.uid === own) return {};
    throw embeddedUnavailable(`The folder ${folder.path} belongs to another user.`, {
      hint: "Use a folder of your own, or pass the URL of a database.",
    });
  }
  const owner =
    stat.uid !== 0 ? { uid: stat.uid, gid: stat.gid } : await give(folder, unprivilegedUser());
  await checkAccess(folder, owner);
  return owner;
}

function unprivilegedUser(): string {
  const named = process.env[OWNER_VARIABLE];
  return named === undefined || named === "" ? "nobody" : named;
}

async function give(folder: ClusterFolder, user: string): Promise<Required<FolderOwner>> {
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => idOf(user, flag)));
    if (uid === undefined || gid === undefined || uid === 0) throw new Error("no such user");
    chownSync(folder.path, uid, gid);
    return { uid, gid };
  } catch (error) {
    throw embeddedUnavailable(
      `Postgres refuses to run as root, and cannot run as the user ${user}: ${(error as Error).message}`,
      { hint: `Run this program as another user, or name one in ${OWNER_VARIABLE}.`, cause: error },
    );
  }
}

async function idOf(user: string, flag: string): Promise<number> {
  const { stdout } = await promisify(execFile)("id", [flag, user]);
  return Number.parseInt(stdout, 10);
}

/** Folders above this one, such as /root, may be closed for the owner. */
async function checkAccess(folder: ClusterFolder, owner: Required<FolderOwner>): Promise<void> {
  try {
    await promisify(execFile)("/bin/sh", ["-c", 'cd "$1" && test -w .', "sh", folder.path], {
      ...owner,
      cwd: "/",
    });
  } catch (error) {
    throw embeddedUnavailable(
      `Postgres refuses to run as root, and the user with the id ${owner.uid} cannot use ${folder.path}.`,
      {
        hint: `Choose a folder that this user can reach, run this program as another user, or name a user in ${OWNER_VARIABLE}.`,
        cause: error,
      },
    );
  }
}
