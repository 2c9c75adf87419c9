import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/index.js";
import { configFolder } from "../../process/index.js";

/**
 * Whether a CLI with this environment has written down anything of the session that it could resume.
 * Not to be waited for: it is asked when an error is made.
 */
export function isWritten(sessionId: string, env: Environment): boolean {
  try {
    const projects = join(configFolder(env), "projects");
    const folders = readdirSync(projects);
    return folders.some((folder) => hasPrompt(join(projects, folder, `${sessionId}.jsonl`)));
  } catch {
    return false;
  }
}

function hasPrompt(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const start = Buffer.alloc(ENOUGH);
    const length = readSync(file, start, 0, ENOUGH, 0);
    // A start that is all one prompt has no room for its type.
    return length === ENOUGH || start.includes('"type":"user"');
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const ENOUGH = 64 * 1024;
