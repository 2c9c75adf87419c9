import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { HawserError } from "../../base/index.js";
import type { SessionStoreEntry } from "../../options/index.js";
import { appendLine } from "../files/append-line.js";
import { checkSessionId, requireTranscript, sessionNotFound } from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import type { SessionMutationOptions } from "../types.js";

export async function renameSession(
  sessionId: string,
  title: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId(sessionId);
  const customTitle = nonEmpty("title", title);
  await appendEntry(sessionId, { type: "custom-title", customTitle, sessionId }, options);
}

export async function tagSession(
  sessionId: string,
  tag: string | null,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId(sessionId);
  const given = tag === null ? "" : nonEmpty("tag", tag);
  await appendEntry(sessionId, { type: "tag", tag: given, sessionId }, options);
}

export async function deleteSession(
  sessionId: string,
  options: SessionMutationOptions = {},
): Promise<void> {
  checkSessionId(sessionId);
  const { sessionStore, dir } = options;
  if (sessionStore !== undefined) {
    await sessionStore.delete?.({ projectKey: await projectKeyOf(dir), sessionId });
    return;
  }
  const { path, folder } = await requireTranscript(sessionId, options);
  await rm(path);
  await rm(join(folder, sessionId), { recursive: true, force: true });
}

function nonEmpty(name: string, text: unknown): string {
  const trimmed = typeof text === "string" ? text.trim() : "";
  if (trimmed !== "") return trimmed;
  throw new HawserError("invalid_options", `The ${name} of a session must not be empty.`, {
    hint: name === "tag" ? "Pass a tag, or null to remove it." : "Pass a title.",
  });
}

async function appendEntry(
  sessionId: string,
  entry: SessionStoreEntry,
  options: SessionMutationOptions,
): Promise<void> {
  const { sessionStore, dir } = options;
  if (sessionStore !== undefined) {
    const stamped = { ...entry, uuid: randomUUID(), timestamp: new Date().toISOString() };
    await sessionStore.append({ projectKey: await projectKeyOf(dir), sessionId }, [stamped]);
    return;
  }
  // The line is appended, and the file not replaced, because a CLI may be writing to the same file.
  const { path } = await requireTranscript(sessionId, options);
  await appendLine(path, JSON.stringify(entry)).catch((error) => {
    throw error.code === "ENOENT" ? sessionNotFound(sessionId, options) : error;
  });
}
