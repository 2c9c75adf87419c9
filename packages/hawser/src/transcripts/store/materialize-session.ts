import { join } from "node:path";
import { HawserError, isHawserError, textOf } from "../../base/index.js";
import type { SessionKey, SessionStore, SessionStoreEntry } from "../../options/index.js";
import type { User } from "../../process/index.js";
import { within } from "../deadline.js";
import { isSessionId, projectKeyOf } from "../files/project-paths.js";
import { own, type Write, writer } from "../private-write.js";
import { linkConfiguration, secureStorageDir } from "./link-configuration.js";
import { SessionFolder } from "./temporary-config-folder.js";

export interface MaterializeOptions {
  /** The session to go on with; without it, the latest one of the working directory. */
  readonly sessionId?: string | undefined;
  /** The working directory of the CLI. */
  readonly cwd: string;
  /** By default that of `cwd`. */
  readonly projectKey?: string | undefined;
  /** The environment that the CLI would get. It says where the user's configuration is. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For each call of the store. Default 60 s. */
  readonly loadTimeoutMs?: number | undefined;
  /** The user that the CLI will run as, when it is not this one. */
  readonly owner?: User | undefined;
}

/** A session of a store, where a CLI finds it. */
export interface MaterializedSession {
  /** For the CLI as CLAUDE_CONFIG_DIR. */
  readonly configDir: string;
  /** For the CLI as CLAUDE_SECURESTORAGE_CONFIG_DIR: the login stays where it is. */
  readonly secureStorageDir: string;
  readonly projectsDir: string;
  /** For the CLI's `--resume`. */
  readonly sessionId: string;
  /** Removes it all. To be called when the CLI has ended. */
  dispose(): Promise<void>;
}

/**
 * Writes a session of a store into a configuration of its own, so that a CLI can resume it. Undefined
 * when the store does not have it: the CLI is then started as if there were no store.
 */
export async function materialize(
  store: SessionStore,
  options: MaterializeOptions,
): Promise<MaterializedSession | undefined> {
  const { cwd, env, owner } = options;
  const projectKey = options.projectKey ?? (await projectKeyOf(cwd));
  if (!/^[\w-]+$/.test(projectKey)) {
    throw new HawserError("invalid_options", `${projectKey} is not the key of a project.`, {
      hint: "Leave `projectKey` out: it comes from the working directory.",
    });
  }
  const limitMs = options.loadTimeoutMs ?? DEFAULT_LIMIT_MS;
  const sessionId = options.sessionId ?? (await latest(store, projectKey, limitMs));
  if (!isSessionId(sessionId)) return undefined;
  const transcripts = await loadAll(store, { projectKey, sessionId }, limitMs);
  if (transcripts === undefined) return undefined;
  const folder = await SessionFolder.create();
  const projectsDir = join(folder.path, "projects");
  try {
    const write = writer(owner);
    for (const [subpath, entries] of transcripts) {
      await writeTranscript(join(projectsDir, projectKey), { sessionId, subpath }, entries, write);
    }
    await linkConfiguration({ env, cwd }, folder.path);
    await own(folder.path, owner);
  } catch (error) {
    await folder.remove().catch(() => {}); // The first failure is the one to tell.
    throw error;
  }
  return {
    configDir: folder.path,
    secureStorageDir: secureStorageDir(env),
    projectsDir,
    sessionId,
    dispose: () => folder.remove(),
  };
}

const DEFAULT_LIMIT_MS = 60_000;

async function latest(
  store: SessionStore,
  projectKey: string,
  limitMs: number,
): Promise<string | undefined> {
  if (store.listSessions === undefined) {
    throw new HawserError("invalid_options", "The session store has no listSessions().", {
      hint: "Give the store a listSessions() method, or name the session by `resume`.",
    });
  }
  const listed = async () => (await store.listSessions?.(projectKey)) ?? [];
  const sessions = await asked(listed, limitMs, "The session store's listSessions()");
  return sessions.toSorted((a, b) => b.mtime - a.mtime)[0]?.sessionId;
}

/** The main transcript under the empty path, and those of the sub-agents; undefined without a main. */
async function loadAll(
  store: SessionStore,
  key: SessionKey,
  limitMs: number,
): Promise<Map<string, readonly SessionStoreEntry[]> | undefined> {
  const load = (wanted: SessionKey) =>
    asked(async () => store.load(wanted), limitMs, "The session store's load()");
  const main = await load(key);
  if (main === null || main.length === 0) return undefined;
  const all = new Map<string, readonly SessionStoreEntry[]>([["", main]]);
  if (store.listSubkeys === undefined) return all;
  const listed = async () => (await store.listSubkeys?.({ ...key })) ?? [];
  const subpaths = await asked(listed, limitMs, "The session store's listSubkeys()");
  for (const subpath of subpaths.filter(isBelow)) {
    const entries = await load({ ...key, subpath });
    if (entries !== null && entries.length > 0) all.set(subpath, entries);
  }
  return all;
}

/** What a method of the store gives; why it gives nothing is told in its own words. */
async function asked<Value>(
  call: () => Promise<Value>,
  limitMs: number,
  what: string,
): Promise<Value> {
  try {
    return await within(call(), limitMs, what, "boot");
  } catch (cause) {
    if (isHawserError(cause)) throw cause;
    const why = textOf(cause);
    const hint = "Look at the session store.";
    throw new HawserError("control_error", `${what} failed: ${why}`, { cause, hint });
  }
}

/** A store may be anybody's: what it names must not be a way out of the session's folder. */
function isBelow(subpath: unknown): subpath is string {
  if (typeof subpath !== "string" || /[\\:\0]/.test(subpath)) return false;
  return subpath.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

async function writeTranscript(
  project: string,
  { sessionId, subpath }: { sessionId: string; subpath: string },
  entries: readonly SessionStoreEntry[],
  write: Write,
): Promise<void> {
  const path = join(project, sessionId, subpath);
  const metadata = entries.findLast(({ type }) => type === "agent_metadata");
  const lines = entries.filter(({ type }) => type !== "agent_metadata").map(toLine);
  if (lines.length > 0) await write(`${path}.jsonl`, lines.join(""));
  if (metadata === undefined) return;
  const { type, ...rest } = metadata;
  await write(`${path}.meta.json`, JSON.stringify(rest));
}

function toLine(entry: SessionStoreEntry): string {
  return `${JSON.stringify(entry)}\n`;
}
