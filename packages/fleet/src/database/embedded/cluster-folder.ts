import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HawserError, isHawserError } from "hawser";
import { embeddedUnavailable } from "./embedded-unavailable.js";

/** The longest path of a unix socket: 104 bytes on macOS, 108 on Linux, with a zero at the end. */
const LONGEST_SOCKET_PATH = process.platform === "darwin" ? 103 : 107;

/** The name of the socket in its folder. */
export const SOCKET_NAME = ".s.PGSQL.5432";

/** Where the parts of a database in a folder are. */
export interface ClusterFolder {
  /** The absolute path without links, so that all programs mean the same folder by it. */
  readonly path: string;
  readonly data: string;
  /** The FIFO that every user holds open. */
  readonly alive: string;
  /** Exists while users may connect. */
  readonly ready: string;
  readonly log: string;
  /** The folder of the socket: this folder, or one with a shorter path. */
  readonly socket: string;
}

/** Whether a database is in the folder, or is being made there. */
export function holdsCluster(folder: string): boolean {
  const { alive, data } = clusterFolder(folder);
  return isFifo(alive) || existsSync(join(data, "PG_VERSION"));
}

function isFifo(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
}

/**
 * Refuses a folder with other files in it before anything is changed: Postgres would write beside them, and for root
 * the folder would get another owner.
 */
function refuseForeign(folder: string): void {
  if (!existsSync(folder)) return;
  const others = readdirSync(folder).filter((name) => !HARMLESS.has(name));
  // Looked at last, because another program may be making the database just now.
  if (others.length === 0 || holdsCluster(folder)) return;
  throw new HawserError(
    "invalid_options",
    `The folder ${resolve(folder)} is not empty, and holds no fleet.`,
    { hint: "Name an empty folder, or one that does not exist yet." },
  );
}

/** What a new disk, or a folder under version control, has in it. */
const HARMLESS: ReadonlySet<string> = new Set(["lost+found", ".gitignore", ".gitkeep"]);

/** Makes the folder if it is missing. */
export function makeClusterFolder(folder: string): ClusterFolder {
  try {
    refuseForeign(folder);
    // Only the folder itself is closed to others: as root, Postgres must get through those above as another user.
    mkdirSync(dirname(resolve(folder)), { recursive: true });
    makeIfMissing(folder);
    return clusterFolder(realpathSync(folder));
  } catch (error) {
    if (isHawserError(error)) throw error;
    throw embeddedUnavailable(
      `The folder of the database cannot be made: ${(error as Error).message}`,
      {
        hint: "Choose a folder that this program may write to, or pass the URL of a database.",
        cause: error,
      },
    );
  }
}

function makeIfMissing(folder: string): void {
  if (existsSync(folder)) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another program may have been faster.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

export function clusterFolder(realPath: string): ClusterFolder {
  const path = resolve(realPath);
  return {
    path,
    data: join(path, "data"),
    alive: join(path, "alive"),
    ready: join(path, "ready"),
    log: join(path, "log"),
    socket: socketFolder(path),
  };
}

/**
 * Sockets have short paths. Where the path of the folder is too long, or has characters that Postgres takes for a
 * list of folders, the socket is in a folder of /tmp with a name that every program computes alike.
 */
function socketFolder(path: string): string {
  const isShort = Buffer.byteLength(join(path, SOCKET_NAME)) <= LONGEST_SOCKET_PATH;
  if (isShort && !/[,"\\]/.test(path)) return path;
  const hash = createHash("sha256").update(path).digest("hex").slice(0, 20);
  return join("/tmp", `hawser-${hash}`);
}

/** Anybody can make a folder in /tmp. That of the socket must belong to the owner of the database. */
export function isSafeSocketFolder(folder: ClusterFolder): boolean {
  if (folder.socket === folder.path) return true;
  try {
    const stat = lstatSync(folder.socket);
    const { uid } = statSync(folder.path);
    return stat.isDirectory() && stat.uid === uid && (stat.mode & 0o077) === 0;
  } catch {
    return false;
  }
}

/** The major version of the Postgres that made the folder, or undefined if there is no database yet. */
export function majorOf(folder: ClusterFolder): number | undefined {
  try {
    const major = Number.parseInt(readFileSync(join(folder.data, "PG_VERSION"), "utf8"), 10);
    return Number.isNaN(major) ? undefined : major;
  } catch {
    return undefined;
  }
}

/** The last lines of Postgres's log, for errors. */
export function logTail(folder: ClusterFolder): string {
  try {
    return readFileSync(folder.log, "utf8").trim().split("\n").slice(-5).join("\n");
  } catch {
    return "";
  }
}
