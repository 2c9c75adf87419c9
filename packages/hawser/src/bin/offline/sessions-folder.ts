import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { textOf } from "../../base/index.js";
import { homeFolder } from "../../process/index.js";
import { deleteSession, listSessions } from "../../transcripts/index.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Where the sessions of `--offline` are kept, apart from those of the account. Undefined without a home
 * folder: then they are not kept.
 */
export function offlineSessionsFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return stateFolder("offline", env);
}

/**
 * Where the fleet of `--offline` is kept, apart from fleets with an account. Undefined without a home folder. The
 * Postgres of root runs as another user, who does not get into the home of root.
 */
export function offlineFleetFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (process.getuid?.() === 0 && !env["XDG_STATE_HOME"]) return "/var/lib/hawser/offline-fleet";
  return stateFolder("offline-fleet", env);
}

function stateFolder(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = homeFolder(env);
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const base = windows || env["XDG_STATE_HOME"] || (home && join(home, ".local", "state"));
  return base && isAbsolute(base) ? join(base, "hawser", name) : undefined;
}

/** Creates the folder and deletes old sessions in it; undefined if it cannot be written: a call needs none. */
export async function openSessionsFolder(terminal: Terminal): Promise<string | undefined> {
  const folder = offlineSessionsFolder();
  if (folder === undefined) return undefined;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    terminal.warn(`This conversation is not saved: ${textOf(error)}`);
    return undefined;
  }
  await deleteOld(folder);
  return folder;
}

/** Conversations with a simulated model are deleted after a month, so that they do not pile up. */
async function deleteOld(configDir: string): Promise<void> {
  const oldest = Date.now() - KEPT_DAYS * 86_400_000;
  // A command that runs at the same time may have deleted a session first.
  const sessions = await listSessions({ configDir, limit: 0 }).catch(() => []);
  for (const { sessionId, lastModified } of sessions) {
    if (lastModified < oldest) await deleteSession(sessionId, { configDir }).catch(() => {});
  }
}

const KEPT_DAYS = 30;
