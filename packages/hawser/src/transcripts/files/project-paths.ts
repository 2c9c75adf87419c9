import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HawserError } from "../../base/index.js";
import { configFolder, currentFolder } from "../../process/index.js";
import type { TranscriptPlace } from "../types.js";

/** The folder that has one folder for each working directory. */
export function projectsFolder({ configDir }: TranscriptPlace): string {
  return join(configDir ?? configFolder(), "projects");
}

/** The CLI's name for a working directory, after its links are resolved. */
export async function projectKeyOf(dir: string | undefined): Promise<string> {
  return keyOfPath(await canonical(dir ?? currentFolder()));
}

/** The CLI's name for a path that is already canonical. */
export function keyOfPath(path: string): string {
  const name = path.replace(/[^a-zA-Z0-9]/g, "-");
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST)}-${shortHash(path)}`;
}

/**
 * What the names of a long path have in common. The hash behind it depends on the program that made
 * the folder. Undefined for a path that is short enough to have one name.
 */
export function longKeyPrefix(key: string): string | undefined {
  return key.length <= LONGEST ? undefined : `${key.slice(0, LONGEST)}-`;
}

/** The path with its links resolved, as the CLI sees its working directory. */
export async function canonical(dir: string): Promise<string> {
  const path = await realpath(dir).catch(() => resolve(dir)); // It may be gone; its sessions are not.
  return path.normalize("NFC");
}

/** Whether it can be the name of a transcript; whatever else may be a path to somewhere else. */
export function isSessionId(id: unknown): id is string {
  return typeof id === "string" && UUID.test(id);
}

export function checkSessionId(id: unknown): void {
  if (isSessionId(id)) return;
  throw new HawserError("invalid_options", `${JSON.stringify(id)} is not the id of a session.`, {
    hint: "A session's id is a UUID; `listSessions()` tells them.",
  });
}

export function notFound(sessionId: string, { dir, configDir }: TranscriptPlace): HawserError {
  const where = dir === undefined ? "any project" : `the project of ${dir}`;
  const below = projectsFolder({ configDir });
  return new HawserError("session_not_found", `There is no session ${sessionId} in ${where}.`, {
    sessionId,
    hint: `Check the id, \`dir\` and \`configDir\`; the transcripts are looked for in ${below}.`,
  });
}

const LONGEST = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function shortHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}
