import { HawserError } from "../../base/index.js";
import { writeArchiveMark } from "../files/archive-mark.js";
import { checkSessionId, requireTranscript } from "../files/find-transcript.js";
import type { SessionMutationOptions } from "../types.js";

export async function archiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await setArchived(sessionId, true, options);
}

export async function unarchiveSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  await setArchived(sessionId, false, options);
}

async function setArchived(
  sessionId: string,
  archived: boolean,
  options: SessionMutationOptions,
): Promise<void> {
  checkSessionId(sessionId);
  if (options.sessionStore !== undefined) {
    throw new HawserError("invalid_options", "A session in a store cannot be archived.", {
      hint: "Leave `sessionStore` out: the archive mark is a file beside the transcript on this machine.",
    });
  }
  await writeArchiveMark(await requireTranscript(sessionId, options), archived);
}
