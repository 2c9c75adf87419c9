import { execFile, spawnSync } from "node:child_process";
import { existsSync, lstatSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Whether the path is a folder of this user. A name proves nothing, because every user can make a
 * folder or a link of that name where all users can write.
 */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === (process.geteuid?.() ?? stat.uid);
}

/** Removes a folder of this user at once, for a program that is about to end. */
export function removeOwnFolderSync(path: string): void {
  // A concurrent write can make the folder non-empty again, so the removal is repeated.
  if (!isOwnFolder(path)) return;
  let canRunRm = isRoot();
  for (let attempt = 0; canRunRm && attempt < 5 && existsSync(path); attempt++) {
    canRunRm = !isMissing(spawnSync(RM, ["-rf", "--", path], { stdio: "ignore" }).error);
  }
  if (!canRunRm) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Removes a folder with its contents. Node uses paths, so another user who owns a folder inside
 * could put a link in its place and have root remove the target of the link. `rm` uses open
 * folders.
 */
export async function removeTree(path: string): Promise<void> {
  if (isRoot()) {
    const failure = await new Promise((done) => execFile(RM, ["-rf", "--", path], done));
    if (!isMissing(failure)) return;
  }
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

const RM = "/bin/rm";

/** A small container may have no such program. */
function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null | undefined)?.code === "ENOENT";
}

function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * Removes a folder that a process may still write to: the process can add files during the removal,
 * or make the folder again just after it.
 */
export async function removeOwnFolder(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await removeTree(path);
      if (!existsSync(path)) return;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    if (attempt === ATTEMPTS) throw new Error(`${path} is made again each time it is removed`);
    await delay(20 * attempt);
  }
}

/** About four seconds in all, because a CLI that was told to stop needs up to two. */
const ATTEMPTS = 20;
