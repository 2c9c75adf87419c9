import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { textOf } from "../../base/index.js";
import type { Options } from "../../options/index.js";
import { homeFolder } from "../../process/index.js";
import type { OfflineWorld } from "../../testing/index.js";
import { deleteSession, listSessions, type SDKSessionInfo } from "../../transcripts/index.js";
import { ageOf } from "../sessions/age.js";
import { chosenSession, type SessionFlags } from "../sessions/chosen.js";
import { oneLine, type Terminal } from "../terminal.js";
import type { WorldOptions } from "./world.js";

/** Where a command finds its CLI. */
export interface World {
  readonly options: Options;
  dispose(): Promise<void>;
}

/** Loaded only when it is asked for, because it brings a model and a fake CLI. */
export async function openOfflineWorld(options: WorldOptions): Promise<OfflineWorld> {
  const { openOfflineWorld: open } = await import("./world.js");
  return open(options);
}

/** Which CLI answers in a world, as a sentence. */
export function aboutWorld({ isReal, cliVersion = "of unknown version" }: OfflineWorld): string {
  return isReal
    ? `offline: the real Claude Code ${cliVersion} on a simulated model`
    : "offline: no Claude Code CLI was found, so a stand-in answers, whose tools do nothing";
}

/**
 * The world that there is, or with `--offline` one that needs no account; it says which. Its options
 * also name the session that `--resume` and `--continue` mean.
 */
export async function openWorld(
  flags: SessionFlags & { readonly cli: string | undefined },
  terminal: Terminal,
): Promise<World> {
  if (!flags.offline) {
    const { options, session } = await chosenSession(flags, undefined);
    announce(session, terminal);
    return { options, dispose: async () => {} };
  }
  const configDir = await keepingFolder(terminal);
  // Before the world is made, so that a session that does not exist leaves none behind.
  const { options, session } = await chosenSession(flags, configDir);
  const world = await openOfflineWorld({ cliPath: flags.cli, configDir });
  terminal.note(terminal.style.dim(aboutWorld(world)));
  announce(session, terminal);
  return { options: { ...world.options, ...options }, dispose: () => world.dispose() };
}

function announce(session: SDKSessionInfo | undefined, terminal: Terminal): void {
  if (session === undefined) return;
  const age = ageOf(Date.now() - session.lastModified);
  terminal.note(`Going on with: ${oneLine(session.summary, LONGEST_SUMMARY)} (${age})`);
}

/** In columns. */
const LONGEST_SUMMARY = 80;

/**
 * Where the sessions of `--offline` are kept, apart from those of the account. Undefined without a home
 * folder: then they are not kept.
 */
export function offlineFolder(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const home = homeFolder(env);
  const windows = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  const base = windows || env["XDG_STATE_HOME"] || (home && join(home, ".local", "state"));
  return base && isAbsolute(base) ? join(base, "hawser", "offline") : undefined;
}

/** The folder for sessions, without old ones; undefined if it cannot be written, because the call needs none. */
async function keepingFolder(terminal: Terminal): Promise<string | undefined> {
  const folder = offlineFolder();
  if (folder === undefined) return undefined;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
  } catch (error) {
    terminal.warn(`The conversation is not kept: ${textOf(error)}`);
    return undefined;
  }
  await deleteOld(folder);
  return folder;
}

/** Conversations with a simulated model are not worth keeping for long, so they do not pile up. */
async function deleteOld(configDir: string): Promise<void> {
  const oldest = Date.now() - KEPT_DAYS * 86_400_000;
  // A command that runs at the same time may have deleted a session first.
  const sessions = await listSessions({ configDir, limit: 0 }).catch(() => []);
  for (const { sessionId, lastModified } of sessions) {
    if (lastModified < oldest) await deleteSession(sessionId, { configDir }).catch(() => {});
  }
}

const KEPT_DAYS = 30;
