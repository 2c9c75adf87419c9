import type { SessionSummaryEntry } from "../../options/index.js";
import type { SDKSessionInfo } from "../types.js";

/** What is known of a session from its entries. Its names are those of the data in a store. */
export interface Digest {
  isSidechain?: boolean;
  createdAt?: number;
  cwd?: string;
  firstPrompt?: string;
  /** A prompt was found: no later one can be the first. */
  firstPromptLocked?: true;
  /** The first command, for a session that has no prompt. */
  commandFallback?: string;
  gitBranch?: string;
  lastPrompt?: string;
  customTitle?: string;
  aiTitle?: string;
  tag?: string;
  summaryHint?: string;
}

/** What is known of a session beside its entries. */
export interface Surroundings {
  readonly lastModified: number;
  readonly fileSize?: number | undefined;
  readonly archived?: boolean | undefined;
  /** Where it was looked for, when it does not say itself where it ran. */
  readonly cwd?: string | undefined;
  /** Says what the session is when nothing else does. */
  readonly lastResort?: string | undefined;
}

/** What a list shows; undefined for the transcript of a sub-agent and for one that says nothing. */
export function infoOf(
  sessionId: string,
  digest: Digest,
  around: Surroundings,
): SDKSessionInfo | undefined {
  if (digest.isSidechain === true) return undefined;
  const customTitle = digest.customTitle || digest.aiTitle;
  const firstPrompt = digest.firstPrompt || digest.commandFallback;
  const summary =
    customTitle || digest.lastPrompt || digest.summaryHint || firstPrompt || around.lastResort;
  if (!summary) return undefined;
  const cwd = digest.cwd || around.cwd;
  return {
    sessionId,
    summary,
    lastModified: around.lastModified,
    ...(around.fileSize === undefined ? {} : { fileSize: around.fileSize }),
    ...(customTitle ? { customTitle } : {}),
    ...(firstPrompt ? { firstPrompt } : {}),
    ...(digest.gitBranch ? { gitBranch: digest.gitBranch } : {}),
    ...(cwd ? { cwd } : {}),
    ...(digest.tag ? { tag: digest.tag } : {}),
    ...(digest.createdAt === undefined ? {} : { createdAt: digest.createdAt }),
    ...(around.archived === undefined ? {} : { archived: around.archived }),
  };
}

export function infoOfSummary(
  { sessionId, mtime, data }: SessionSummaryEntry,
  cwd: string,
): SDKSessionInfo | undefined {
  return infoOf(sessionId, data, { lastModified: mtime, cwd });
}

/** Milliseconds since 1970, or undefined for what is no time. */
export function timeOf(timestamp: unknown): number | undefined {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
