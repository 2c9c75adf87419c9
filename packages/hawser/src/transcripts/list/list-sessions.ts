import { stat } from "node:fs";
import { readdir } from "node:fs/promises";
import { sep } from "node:path";
import { promisify } from "node:util";
import { allocateExcerptBuffer, type FileFacts, fileFactsOf } from "../files/excerpt.js";
import {
  findTranscript,
  isSessionId,
  projectFolders,
  type TranscriptFile,
} from "../files/find-transcript.js";
import { ifAbsent } from "../storage-error.js";
import type { GetSessionInfoOptions, ListSessionsOptions, SDKSessionInfo } from "../types.js";
import { describeTranscript } from "./describe-transcript.js";
import { storedSessionInfo, storedSessions } from "./list-stored-sessions.js";
import { mapConcurrently } from "./map-concurrently.js";
import { pageBounds } from "./page.js";

export async function listSessions(options: ListSessionsOptions = {}): Promise<SDKSessionInfo[]> {
  const { sessionStore, includeProgrammatic, includeWorktrees } = options;
  if (sessionStore !== undefined) return storedSessions(sessionStore, options);
  const { offset, wanted } = pageBounds(options);
  const folders = await projectFolders(options, includeWorktrees ?? true);
  const buffers = Array.from({ length: CONCURRENCY }, allocateExcerptBuffer);
  const describe = (file: DatedFile, buffer: Buffer) =>
    describeTranscript(transcriptOf(file), buffer, {
      includeProgrammatic,
      hasFolder: file.hasFolder,
      facts: file,
    });
  const infos = await mapConcurrently(
    await latestFirst(folders),
    buffers,
    describe,
    offset + wanted,
  );
  return infos.slice(offset);
}

export async function getSessionInfo(
  sessionId: string,
  options: GetSessionInfoOptions = {},
): Promise<SDKSessionInfo | undefined> {
  if (!isSessionId(sessionId)) return undefined;
  const { sessionStore } = options;
  if (sessionStore !== undefined) return storedSessionInfo(sessionId, sessionStore, options.dir);
  const file = await findTranscript(sessionId, options);
  return file === undefined ? undefined : describeTranscript(file, allocateExcerptBuffer());
}

/** Files that are open at the same time. More are not faster and take more memory. */
const CONCURRENCY = 2;

/** A list holds thousands of these, so the path is made only when it is needed. */
interface DatedFile extends FileFacts {
  readonly sessionId: string;
  readonly folder: string;
  readonly hasFolder: boolean;
}

async function latestFirst(folders: readonly string[]): Promise<DatedFile[]> {
  const files: DatedFile[] = [];
  for (const folder of folders) files.push(...(await transcriptsIn(folder)));
  files.sort((a, b) => b.mtime - a.mtime || (a.sessionId < b.sessionId ? 1 : -1));
  const seen = new Set<string>();
  // A session that moved to another directory may have left a file behind. The later file counts.
  return files.filter(({ sessionId }) => !seen.has(sessionId) && seen.add(sessionId));
}

async function transcriptsIn(folder: string): Promise<DatedFile[]> {
  const names = new Set(await readdir(folder).catch(ifAbsent([]))); // Absent or not readable.
  const ids = [...names].flatMap((name) => {
    const id = name.endsWith(".jsonl") ? name.slice(0, -".jsonl".length) : "";
    return isSessionId(id) ? [id] : [];
  });
  return mapConcurrently(ids, Array.from({ length: CONCURRENCY }), async (sessionId) => {
    const found = await statFile(pathOf({ folder, sessionId })).catch(ifAbsent(undefined)); // Deleted.
    if (found === undefined || !found.isFile()) return undefined;
    const { size, mtime } = fileFactsOf(found);
    return { sessionId, folder, size, mtime, hasFolder: names.has(sessionId) };
  });
}

const statFile = promisify(stat);

function pathOf({ folder, sessionId }: { folder: string; sessionId: string }): string {
  return `${folder}${sep}${sessionId}.jsonl`;
}

function transcriptOf(file: DatedFile): TranscriptFile {
  return { sessionId: file.sessionId, folder: file.folder, path: pathOf(file) };
}
