import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ifAbsent } from "../storage-error.js";
import type { TranscriptPlace } from "../types.js";
import { worktreesOf } from "./git-worktrees.js";
import {
  canonical,
  isSessionId,
  keyOfPath,
  longKeyPrefix,
  projectsFolder,
} from "./project-paths.js";

/** A transcript on disk. */
export interface TranscriptFile {
  readonly sessionId: string;
  /** The project's folder. */
  readonly folder: string;
  readonly path: string;
}

/** The folders that hold the sessions of a place, that of `dir` itself first. */
export async function projectFolders(place: TranscriptPlace, worktrees = true): Promise<string[]> {
  const projects = projectsFolder(place);
  if (place.dir === undefined)
    return (await foldersIn(projects)).map((name) => join(projects, name));
  const dir = await canonical(place.dir);
  const paths = worktrees ? [dir, ...(await worktreesOf(dir))] : [dir];
  const names = await Promise.all(paths.map((path) => foldersOf(projects, path)));
  return [...new Set(names.flat())].map((name) => join(projects, name));
}

/** The file of a session; undefined when there is none, or when the id is none. */
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

/** What is in a folder; nothing when there is no such folder, or when it may not be read. */
export async function contentsOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(ifAbsent([]));
}

async function foldersIn(folder: string): Promise<string[]> {
  const all = await contentsOf(folder);
  return all.filter((each) => each.isDirectory() || each.isSymbolicLink()).map(({ name }) => name);
}

async function foldersOf(projects: string, path: string): Promise<string[]> {
  const key = keyOfPath(path);
  const prefix = longKeyPrefix(key);
  if (prefix === undefined) return [key];
  return (await foldersIn(projects)).filter((name) => name.startsWith(prefix));
}
