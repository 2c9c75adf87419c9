import { chown, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HawserError, isHawserError, textOf, withTimeout } from "../../base/index.js";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../../options/index.js";
import type { User } from "../../process/index.js";
import { isSessionId } from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import { storeTimeout } from "../storage-error.js";
import { linkConfiguration, secureStorageDir } from "./link-configuration.js";
import { TemporaryConfigFolder } from "./temporary-config-folder.js";

export interface MaterializeOptions {
  /**
   * The session to resume.
   * @default the latest session of the working directory
   */
  readonly sessionId?: string | undefined;
  /** The working directory of the CLI. */
  readonly cwd: string;
  /**
   * The key of the session in the store. The CLI finds the session in any case.
   * @default the key of `cwd`
   */
  readonly projectKey?: string | undefined;
  /** The environment of the CLI. It says where the user's configuration is. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * The time limit of each call of the store, in milliseconds.
   * @default 60_000
   */
  readonly loadTimeoutMs?: number | undefined;
  /** The user that the CLI will run as, if it is another user. */
  readonly owner?: User | undefined;
}

/** A session of a store, written into files so that a CLI finds it. */
export interface MaterializedSession {
  /** For the CLI as CLAUDE_CONFIG_DIR. */
  readonly configDir: string;
  /** For the CLI as CLAUDE_SECURESTORAGE_CONFIG_DIR: the login stays where it is. */
  readonly secureStorageDir: string;
  readonly projectsDir: string;
  /** For the CLI's `--resume`. */
  readonly sessionId: string;
  /** Removes the files. Call it when the CLI has ended. */
  remove(): Promise<void>;
}

/**
 * Writes a session of a store into a temporary configuration folder, so that a CLI can resume it.
 * Undefined if the store does not have the session: the CLI is then started as if there were no
 * store.
 */
export async function materializeSession(
  store: SessionStore,
  options: MaterializeOptions,
): Promise<MaterializedSession | undefined> {
  const { cwd, env, owner } = options;
  // The CLI looks for the session in the folder of its working directory.
  const folderName = await projectKeyOf(cwd);
  const projectKey = options.projectKey ?? folderName;
  const limitMs = options.loadTimeoutMs ?? DEFAULT_LIMIT_MS;
  const sessionId = options.sessionId ?? (await latestSessionId(store, projectKey, limitMs));
  if (!isSessionId(sessionId)) return undefined;
  const transcripts = await loadAll(store, { projectKey, sessionId }, limitMs);
  if (transcripts === undefined) return undefined;
  const folder = await TemporaryConfigFolder.create();
  const projectsDir = join(folder.path, "projects");
  try {
    for (const [subpath, entries] of transcripts) {
      await writeTranscript(join(projectsDir, folderName, sessionId, subpath), entries, owner);
    }
    await linkConfiguration({ env, cwd }, folder.path);
    await giveTo(owner, folder.path);
  } catch (error) {
    await folder.remove().catch(() => {}); // Throw the first error.
    throw error;
  }
  return {
    configDir: folder.path,
    secureStorageDir: secureStorageDir(env),
    projectsDir,
    sessionId,
    remove: () => folder.remove(),
  };
}

const DEFAULT_LIMIT_MS = 60_000;

async function latestSessionId(
  store: SessionStore,
  projectKey: string,
  limitMs: number,
): Promise<string | undefined> {
  if (store.listSessions === undefined) {
    throw new HawserError("invalid_options", "The session store has no listSessions().", {
      hint: "Add a listSessions() method to the store, or name the session with `resume`.",
    });
  }
  const listed = async () => (await store.listSessions?.(projectKey)) ?? [];
  const sessions = await callStoreMethod(listed, limitMs, "The session store's listSessions()");
  return sessions.toSorted((a, b) => b.mtime - a.mtime)[0]?.sessionId;
}

/**
 * The main transcript under the empty subpath, and the transcripts of the sub-agents. Undefined if
 * there is no main transcript.
 */
async function loadAll(
  store: SessionStore,
  key: SessionKey,
  limitMs: number,
): Promise<Map<string, readonly SessionStoreEntry[]> | undefined> {
  const load = (wanted: SessionKey) =>
    callStoreMethod(async () => store.load(wanted), limitMs, "The session store's load()");
  const main = await load(key);
  if (main === null || main.length === 0) return undefined;
  const all = new Map<string, readonly SessionStoreEntry[]>([["", main]]);
  if (store.listSubkeys === undefined) return all;
  const listed = async () => (await store.listSubkeys?.({ ...key })) ?? [];
  const subpaths = await callStoreMethod(listed, limitMs, "The session store's listSubkeys()");
  for (const subpath of subpaths.filter(isBelow)) {
    const entries = await load({ ...key, subpath });
    if (entries !== null && entries.length > 0) all.set(subpath, entries);
  }
  return all;
}

/** Calls a method of the store. If it fails, the error has the words of the store. */
async function callStoreMethod<Value>(
  call: () => Promise<Value>,
  limitMs: number,
  what: string,
): Promise<Value> {
  try {
    return await withTimeout(call(), limitMs, () => {
      throw storeTimeout(what, limitMs, "boot");
    });
  } catch (cause) {
    if (isHawserError(cause)) throw cause;
    const why = textOf(cause);
    const hint = "Look at `cause`: it is the error of the session store.";
    throw new HawserError("control_error", `${what} failed: ${why}`, { cause, hint });
  }
}

/** The store is foreign code, so a subpath must not lead out of the session's folder. */
function isBelow(subpath: unknown): subpath is string {
  if (typeof subpath !== "string" || /[\\:\0]/.test(subpath)) return false;
  return subpath.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** Writes the entries beside the path of a transcript without its ending. */
async function writeTranscript(
  path: string,
  entries: readonly SessionStoreEntry[],
  owner: User | undefined,
): Promise<void> {
  const metadata = entries.findLast(({ type }) => type === "agent_metadata");
  const lines = entries.filter(({ type }) => type !== "agent_metadata").map(toLine);
  if (lines.length > 0) await writePrivately(`${path}.jsonl`, lines.join(""), owner);
  if (metadata === undefined) return;
  const { type, ...rest } = metadata;
  await writePrivately(`${path}.meta.json`, JSON.stringify(rest), owner);
}

function toLine(entry: SessionStoreEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** Writes a file that only its owner may read, and makes the folders above it. */
async function writePrivately(
  path: string,
  contents: string,
  owner: User | undefined,
): Promise<void> {
  const first = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (let at = dirname(path); first !== undefined && at.length >= first.length; at = dirname(at)) {
    await giveTo(owner, at);
  }
  await writeFile(path, contents, { mode: 0o600 });
  await giveTo(owner, path);
}

async function giveTo(owner: User | undefined, path: string): Promise<void> {
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}
