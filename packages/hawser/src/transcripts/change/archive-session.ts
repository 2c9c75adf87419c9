import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { HawserError } from "../../base/index.js";
import { archiveMarkPath } from "../files/archive-mark.js";
import { checkSessionId } from "../files/project-paths.js";
import { replaceFile } from "../files/replace-file.js";
import type { SessionMutationOptions } from "../types.js";
import { existing } from "./change-session.js";

export async function archiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await mark(sessionId, true, options);
}

export async function unarchiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await mark(sessionId, false, options);
}

async function mark(
  sessionId: string,
  archived: boolean,
  options: SessionMutationOptions,
): Promise<void> {
  checkSessionId(sessionId);
  if (options.sessionStore !== undefined) {
    throw new HawserError("invalid_options", "A session in a store cannot be archived.", {
      hint: "Leave `sessionStore` out: the mark is a file beside the transcript on this machine.",
    });
  }
  const path = archiveMarkPath(await existing(sessionId, options));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const at = new Date().toISOString();
  await replaceFile(path, `${JSON.stringify({ archived, at, by: "sdk" })}\n`);
}
