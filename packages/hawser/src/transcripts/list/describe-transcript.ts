import { readArchiveMark } from "../files/archive-mark.js";
import { parseTimestamp } from "../files/entry.js";
import {
  clearParsedLines,
  type Excerpt,
  type ExcerptEnd,
  entriesContaining,
  entriesContainingBackwards,
  type FileFacts,
  firstEntry,
  firstLine,
  readExcerpt,
} from "../files/excerpt.js";
import type { TranscriptFile } from "../files/find-transcript.js";
import { ifAbsent } from "../storage-error.js";
import type { SDKSessionInfo } from "../types.js";
import { type SessionDigest, sessionInfoOf } from "./session-digest.js";
import { userInputOf } from "./user-input.js";

export interface DescribeOptions {
  /** False leaves out sessions that a program has started. */
  readonly includeProgrammatic?: boolean | undefined;
  /** False if the session is known to have no folder, and so no archive mark. */
  readonly hasFolder?: boolean | undefined;
  /** Size and time of the file, if they are known. */
  readonly facts?: FileFacts | undefined;
}

/** What a list shows of a transcript, read from both ends of the file into `buffer`. */
export async function describeTranscript(
  file: TranscriptFile,
  buffer: Buffer,
  { includeProgrammatic = true, hasFolder = true, facts }: DescribeOptions = {},
): Promise<SDKSessionInfo | undefined> {
  const excerpt = await readExcerpt(file.path, buffer, facts).catch(ifAbsent(undefined)); // Deleted meanwhile.
  if (excerpt === undefined || isSidechain(excerpt)) return undefined;
  if (!includeProgrammatic && isProgrammatic(excerpt)) return undefined;
  const { digest, image } = digestOf(excerpt);
  const promptedAt = hasFolder ? lastPromptTime(excerpt) : undefined;
  clearParsedLines(excerpt);
  return sessionInfoOf(file.sessionId, digest, {
    lastModified: excerpt.mtime,
    fileSize: excerpt.size,
    archived: hasFolder ? await readArchiveMark(file, promptedAt) : undefined,
    fallbackSummary: image ? "Image" : undefined,
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

function digestOf({ head, tail }: Excerpt): { digest: SessionDigest; image: boolean } {
  const { image, ...start } = startOf(head);
  const title = (mark: Buffer, type: string, field: string) =>
    lastOf(tail, mark, type, field) || (tail === head ? "" : lastOf(head, mark, type, field));
  const digest: SessionDigest = {
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

function startOf(head: ExcerptEnd): SessionDigest & { image: boolean } {
  const start: SessionDigest & { image: boolean } = { image: false };
  const createdAt = parseTimestamp(
    firstField(head, MARK.timestamp, "timestamp") ?? cutTimestamp(head),
  );
  if (createdAt !== undefined) start.createdAt = createdAt;
  const cwd = firstField(head, MARK.cwd, "cwd");
  if (cwd !== undefined) start.cwd = cwd;
  for (const entry of entriesContaining(MARK.user, head)) {
    const input = userInputOf(entry);
    if (input?.kind === "image") start.image = true;
    else if (input?.kind === "command") start.commandFallback ??= input.text;
    else if (input?.kind === "prompt") return { ...start, firstPrompt: input.text };
  }
  return start;
}

/**
 * A first line that is longer than the excerpt does not parse, but its timestamp is near its start.
 */
function cutTimestamp(head: ExcerptEnd): string | undefined {
  return /"timestamp":"([^"]{1,40})"/.exec(firstLine(head))?.[1];
}

function isSidechain({ head }: Excerpt): boolean {
  const entry = firstEntry(head);
  if (entry !== undefined) return entry["isSidechain"] === true;
  return firstLine(head).includes('"isSidechain":true');
}

/** Whether a program, not a person, has started the session. */
function isProgrammatic({ head }: Excerpt): boolean {
  const entrypoint = firstField(head, MARK.entrypoint, "entrypoint") ?? "";
  const kind = firstField(head, MARK.sessionKind, "sessionKind") ?? "";
  return PROGRAMS.has(entrypoint) || DAEMONS.has(kind);
}

const PROGRAMS: ReadonlySet<string> = new Set(["sdk-cli", "sdk-ts", "sdk-py"]);
const DAEMONS: ReadonlySet<string> = new Set(["daemon", "daemon-worker"]);

function lastPromptTime({ tail }: Excerpt): number | undefined {
  for (const entry of entriesContainingBackwards(MARK.user, tail)) {
    if (userInputOf(entry) !== undefined) return parseTimestamp(entry["timestamp"]);
  }
  return undefined;
}

function firstField(end: ExcerptEnd, mark: Buffer, field: string): string | undefined {
  for (const entry of entriesContaining(mark, end)) {
    const value = entry[field];
    if (typeof value === "string") return value;
  }
  return undefined;
}

/**
 * The field of the last entry of a type; empty if there is none or the last entry resets the field.
 */
function lastOf(end: ExcerptEnd, mark: Buffer, type: string, field: string): string {
  for (const entry of entriesContainingBackwards(mark, end)) {
    if (entry["type"] === type && typeof entry[field] === "string") return entry[field];
  }
  return "";
}

function lastBranch(end: ExcerptEnd): string {
  for (const entry of entriesContainingBackwards(MARK.gitBranch, end)) {
    const branch = entry["gitBranch"];
    if (typeof branch === "string" && branch !== "") return branch;
  }
  // `gitBranch` stands near the end of a line, so a line whose start is cut off still has it.
  return /"gitBranch":"([^"\\]+)"/.exec(firstLine(end))?.[1] ?? "";
}
