import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { configFolder, currentFolder } from "../../process/index.js";
import type { TranscriptPlace } from "../types.js";

/** The folder that has one folder for each working directory. */
export function projectsFolder({ configDir }: TranscriptPlace): string {
  return join(configDir ?? configFolder(), "projects");
}

/** The CLI's name for a working directory, after its links are resolved. */
export async function projectKeyOf(dir: string | undefined): Promise<string> {
  return projectKeyOfPath(await canonicalPath(dir ?? currentFolder()));
}

/** The CLI's name for a path that is already canonical. */
export function projectKeyOfPath(path: string): string {
  const name = path.replace(/[^a-zA-Z0-9]/g, "-");
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST)}-${shortHash(path)}`;
}

/**
 * The start that all names of a long path have in common. The hash behind it depends on the program
 * that made the folder. Undefined for a path that is short enough to have only one name.
 */
export function longKeyPrefix(key: string): string | undefined {
  return key.length <= LONGEST ? undefined : `${key.slice(0, LONGEST)}-`;
}

/** The path with its links resolved, as the CLI sees its working directory. */
export async function canonicalPath(dir: string): Promise<string> {
  // The directory may be deleted while its sessions still exist.
  const path = await realpath(dir).catch(() => resolve(dir));
  return path.normalize("NFC");
}

const LONGEST = 200;

function shortHash(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return Math.abs(hash).toString(36);
}
