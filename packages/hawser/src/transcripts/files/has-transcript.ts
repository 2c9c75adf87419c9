import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../base/index.js";
import { configFolder } from "../../process/index.js";

/**
 * Whether a CLI with this environment, started in `cwd`, has written a part of the session that it
 * could resume. Synchronous, because it is called while an error is made.
 */
export function hasTranscript(
  sessionId: string,
  env: Environment,
  cwd: string | undefined,
): boolean {
  try {
    const projects = join(configFolder(env, cwd), "projects");
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
    const start = Buffer.alloc(START_BYTES);
    const length = readSync(file, start, 0, START_BYTES, 0);
    // A long prompt may fill the whole start, so that its type is not in it.
    return length === START_BYTES || start.includes('"type":"user"');
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const START_BYTES = 64 * 1024;
