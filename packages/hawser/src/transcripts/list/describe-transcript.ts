import { archivedMark } from "../files/archive-mark.js";
import {
  type End,
  type Excerpt,
  entriesWith,
  entriesWithBackwards,
  type FileFacts,
  firstEntry,
  firstLine,
  forgetLines,
  readExcerpt,
} from "../files/excerpt.js";
import type { TranscriptFile } from "../files/find-transcript.js";
import { ifAbsent } from "../storage-error.js";
import type { SDKSessionInfo } from "../types.js";
import { type Digest, infoOf, timeOf } from "./session-digest.js";
import { saidBy } from "./user-input.js";

export interface DescribeOptions {
  /** False leaves out the sessions of programs. */
  readonly includeProgrammatic?: boolean | undefined;
  /** Whether the session has a folder of its own, if that is known: without one it has no mark. */
  readonly hasFolder?: boolean | undefined;
  /** Of the file, if they are known. */
  readonly facts?: FileFacts | undefined;
}

/** What a list shows of a transcript, from both its ends; `space` is for the bytes. */
export async function describeFile(
  file: TranscriptFile,
  space: Buffer,
  { includeProgrammatic = true, hasFolder = true, facts }: DescribeOptions = {},
): Promise<SDKSessionInfo | undefined> {
  const excerpt = await readExcerpt(file.path, space, facts).catch(ifAbsent(undefined)); // Deleted meanwhile.
  if (excerpt === undefined || isSidechain(excerpt)) return undefined;
  if (!includeProgrammatic && isProgrammatic(excerpt)) return undefined;
  const { digest, image } = digestOf(excerpt);
  const promptedAt = hasFolder ? lastPromptTime(excerpt) : undefined;
  forgetLines(excerpt);
  return infoOf(file.sessionId, digest, {
    lastModified: excerpt.mtime,
    fileSize: excerpt.size,
    archived: hasFolder ? await archivedMark(file, promptedAt) : undefined,
    lastResort: image ? "Image" : undefined,
  });
}

const MARK = {
  user: Buffer.from('"user"'),
  timestamp: Buffer.from('"timestamp"'),
  cwd: Buffer.from('"cwd"'),
  gitBranch: Buffer.from('"gitBranch"'),
  entrypoint: Buffer.from('"entrypoint"'),
  sessionKind: Buffer.from('"sessionKind"'),
  customTitle: Buffer.from('"custom-title"'),
  aiTitle: Buffer.from('"ai-title"'),
  lastPrompt: Buffer.from('"last-prompt"'),
  summary: Buffer.from('"summary"'),
  tag: Buffer.from('"tag"'),
};

function digestOf({ head, tail }: Excerpt): { digest: Digest; image: boolean } {
  const { image, ...start } = startOf(head);
  const title = (mark: Buffer, type: string, field: string) =>
    lastOf(tail, mark, type, field) || (tail === head ? "" : lastOf(head, mark, type, field));
  const digest: Digest = {
    ...start,
    gitBranch: lastBranch(tail) || lastBranch(head),
    customTitle: title(MARK.customTitle, "custom-title", "customTitle"),
    aiTitle: title(MARK.aiTitle, "ai-title", "aiTitle"),
    lastPrompt: lastOf(tail, MARK.lastPrompt, "last-prompt", "lastPrompt"),
    summaryHint: lastOf(tail, MARK.summary, "summary", "summary"),
    tag: lastOf(tail, MARK.tag, "tag", "tag"),
  };
  return { digest, image };
}

function startOf(head: End): Digest & { image: boolean } {
  const start: Digest & { image: boolean } = { image: false };
  const createdAt = timeOf(firstField(head, MARK.timestamp, "timestamp") ?? cutTimestamp(head));
  if (createdAt !== undefined) start.createdAt = createdAt;
  const cwd = firstField(head, MARK.cwd, "cwd");
  if (cwd !== undefined) start.cwd = cwd;
  for (const entry of entriesWith(MARK.user, head)) {
    const said = saidBy(entry);
    if (said?.kind === "image") start.image = true;
    else if (said?.kind === "command") start.commandFallback ??= said.text;
    else if (said?.kind === "prompt") return { ...start, firstPrompt: said.text };
  }
  return start;
}

/** A first line that is longer than the excerpt still begins with what matters here. */
function cutTimestamp(head: End): string | undefined {
  return /"timestamp":"([^"]{1,40})"/.exec(firstLine(head))?.[1];
}

function isSidechain({ head }: Excerpt): boolean {
  const entry = firstEntry(head);
  if (entry !== undefined) return entry["isSidechain"] === true;
  return firstLine(head).includes('"isSidechain":true');
}

/** Whether a program has started the session, not a person. */
function isProgrammatic({ head }: Excerpt): boolean {
  const entrypoint = firstField(head, MARK.entrypoint, "entrypoint") ?? "";
  const kind = firstField(head, MARK.sessionKind, "sessionKind") ?? "";
  return PROGRAMS.has(entrypoint) || DAEMONS.has(kind);
}

const PROGRAMS: ReadonlySet<string> = new Set(["sdk-cli", "sdk-ts", "sdk-py"]);
const DAEMONS: ReadonlySet<string> = new Set(["daemon", "daemon-worker"]);

function lastPromptTime({ tail }: Excerpt): number | undefined {
  for (const entry of entriesWithBackwards(MARK.user, tail)) {
    if (saidBy(entry) !== undefined) return timeOf(entry["timestamp"]);
  }
  return undefined;
}

function firstField(end: End, mark: Buffer, field: string): string | undefined {
  for (const entry of entriesWith(mark, end)) {
    const value = entry[field];
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** What the last entry of a type says; empty when there is none, or when it takes back the others. */
function lastOf(end: End, mark: Buffer, type: string, field: string): string {
  for (const entry of entriesWithBackwards(mark, end)) {
    if (entry["type"] === type && typeof entry[field] === "string") return entry[field];
  }
  return "";
}

function lastBranch(end: End): string {
  for (const entry of entriesWithBackwards(MARK.gitBranch, end)) {
    const branch = entry["gitBranch"];
    if (typeof branch === "string" && branch !== "") return branch;
  }
  // It stands at the end of a line, so that of a line whose start is cut off is still there.
  return /"gitBranch":"([^"\\]+)"/.exec(firstLine(end))?.[1] ?? "";
}
