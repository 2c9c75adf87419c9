import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { HawserError } from "../base/index.js";
import { hostName } from "./host.js";
import { atHostExit } from "./live.js";
import { temporaryFolder } from "./own-folders.js";

/**
 * A new path for temporary files. Its name holds the name of this host, so that the watchdog and
 * `findOrphans()` know the owner. Only this file knows the format of such a name.
 */
export function temporaryPath(): string {
  const root = temporaryFolder();
  roots.add(root);
  // Short, because the CLI has sockets below it, and the path of a socket may have 107 letters.
  return join(root, `${temporaryPrefix(hostName())}${randomBytes(6).toString("hex")}`);
}

/** The folders in which `temporaryPath()` has given out paths. */
export function temporaryRoots(): ReadonlySet<string> {
  return roots;
}

const roots = new Set<string>();

/** The beginning of the names of all temporary folders of one host, and of no other host. */
export function temporaryPrefix(host: string): string {
  return `hawser-${host}-`;
}

/** The name of the host that made the folder of this name; undefined for every other name. */
export function hostOfTemporary(name: string): string | undefined {
  return NAME.exec(name)?.[1];
}

const NAME = new RegExp(`^${temporaryPrefix("([0-9a-f.]+)")}[0-9a-f]+$`);

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
  // A write that was under way can make the folder non-empty again, so the removal is repeated.
  if (!isOwnFolder(path)) return;
  let canRunRm = isRoot();
  for (let attempt = 0; canRunRm && attempt < 5 && existsSync(path); attempt++) {
    canRunRm = !isMissing(spawnSync(RM, ["-rf", "--", path], { stdio: "ignore" }).error);
  }
  if (!canRunRm) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Removes a folder with all that is in it. Node goes by paths, so another user who owns a folder inside
 * could put a link in its place and have root remove what the link leads to. `rm` goes by open folders.
 */
export async function removeTree(path: string): Promise<void> {
  if (isRoot()) {
    const failure = await promisify(execFile)(RM, ["-rf", "--", path]).catch((error) => error);
    if (!isMissing(failure)) return;
  }
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
}

const RM = "/bin/rm";

/** A small container may have no such program. */
function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
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

/** A folder for temporary files. It goes with this program at the latest, however the program ends. */
export class TemporaryFolder {
  /** With links resolved, as the CLI reports its folders. */
  readonly path: string;
  readonly #release: () => void;

  /** Makes the folder. Throws `spawn_failed` if it cannot be made. */
  constructor(mode: number) {
    try {
      const given = temporaryPath();
      this.path = join(realpathSync(dirname(given)), basename(given));
      // Synchronous, because a folder that is still being made when a signal comes would be left behind.
      mkdirSync(this.path, { mode });
    } catch (cause) {
      throw temporaryError(cause);
    }
    this.#release = atHostExit(() => removeOwnFolderSync(this.path));
  }

  async remove(): Promise<void> {
    await removeOwnFolder(this.path);
    this.#release();
  }
}

/** The error for temporary files that cannot be written. */
export function temporaryError(cause: unknown): HawserError {
  const message = `A temporary folder cannot be written: ${(cause as Error).message}`;
  const hint = "Make the folder for temporary files writable, or set TMPDIR to one that is.";
  return new HawserError("spawn_failed", message, { cause, hint });
}
