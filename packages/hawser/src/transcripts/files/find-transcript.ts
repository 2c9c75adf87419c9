import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { HawserError, kind } from "../../base/index.js";
import { ifAbsent } from "../storage-error.js";
import type { TranscriptPlace } from "../types.js";
import { worktreesOf } from "./git-worktrees.js";
import { canonicalPath, longKeyPrefix, projectKeyOfPath, projectsFolder } from "./project-paths.js";

/** A transcript on disk. */
export interface TranscriptFile {
  readonly sessionId: string;
  /** The project's folder. */
  readonly folder: string;
  readonly path: string;
}

/** The file of a session; undefined if there is no such file or the id is not valid. */
export async function findTranscript(
  sessionId: string,
  place: TranscriptPlace,
): Promise<TranscriptFile | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  for (const folder of await projectFolders(place)) {
    const path = join(folder, `${sessionId}.jsonl`);
    const found = await stat(path).catch(ifAbsent(undefined)); // Not in this project.
    if (found?.isFile() === true && found.size > 0) return { sessionId, folder, path };
  }
  return undefined;
}

/** The file of a session; throws `session_not_found` if there is no such file. */
export async function requireTranscript(
  sessionId: string,
  place: TranscriptPlace,
): Promise<TranscriptFile> {
  const file = await findTranscript(sessionId, place);
  if (file === undefined) throw sessionNotFound(sessionId, place);
  return file;
}

export function sessionNotFound(
  sessionId: string,
  { dir, configDir }: TranscriptPlace,
): HawserError {
  const where = dir === undefined ? "any project" : `the project of ${dir}`;
  const below = projectsFolder({ configDir });
  return new HawserError("session_not_found", `There is no session ${sessionId} in ${where}.`, {
    sessionId,
    hint: `Check the id, \`dir\` and \`configDir\`; transcripts are searched in ${below}.`,
  });
}

/** Whether the value can be the name of a transcript. Any other string may be a path elsewhere. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && kind.isUuid(id);
}

export function checkSessionId(id: unknown): void {
  if (isSessionId(id)) return;
  throw new HawserError("invalid_options", `${JSON.stringify(id)} is not a session id.`, {
    hint: "A session id is a UUID; `listSessions()` lists the ids.",
  });
}

/** The folders that hold the sessions of a place. The folder of `dir` itself is the first. */
export async function projectFolders(place: TranscriptPlace, worktrees = true): Promise<string[]> {
  const projects = projectsFolder(place);
  if (place.dir === undefined)
    return (await foldersIn(projects)).map((name) => join(projects, name));
  const dir = await canonicalPath(place.dir);
  const paths = worktrees ? [dir, ...(await worktreesOf(dir))] : [dir];
  const names = await Promise.all(paths.map((path) => foldersOf(projects, path)));
  return [...new Set(names.flat())].map((name) => join(projects, name));
}

async function foldersOf(projects: string, path: string): Promise<string[]> {
  const key = projectKeyOfPath(path);
  const prefix = longKeyPrefix(key);
  if (prefix === undefined) return [key];
  return (await foldersIn(projects)).filter((name) => name.startsWith(prefix));
}

async function foldersIn(folder: string): Promise<string[]> {
  const all = await readFolder(folder);
  return all.filter((each) => each.isDirectory() || each.isSymbolicLink()).map(({ name }) => name);
}

/** The contents of a folder; an empty list if the folder is absent or may not be read. */
export async function readFolder(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(ifAbsent([]));
}
