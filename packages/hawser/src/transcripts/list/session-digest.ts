import type { SessionSummaryEntry } from "../../options/index.js";
import type { SDKSessionInfo } from "../types.js";

/** What the entries of a session say. Stores keep it, so its field names are part of their data. */
export interface SessionDigest {
  isSidechain?: boolean;
  createdAt?: number;
  cwd?: string;
  firstPrompt?: string;
  /** A prompt was found, so later prompts are not the first. */
  firstPromptLocked?: true;
  /** The first command, shown for a session without a prompt. */
  commandFallback?: string;
  gitBranch?: string;
  lastPrompt?: string;
  customTitle?: string;
  aiTitle?: string;
  tag?: string;
  summaryHint?: string;
}

/** What is known of a session from other sources than its entries. */
export interface SessionFacts {
  readonly lastModified: number;
  readonly fileSize?: number | undefined;
  readonly archived?: boolean | undefined;
  /** The directory of the search, used if the entries name no working directory. */
  readonly cwd?: string | undefined;
  /** The summary of a session that has neither title nor prompt. */
  readonly fallbackSummary?: string | undefined;
}

/** What a list shows; undefined for a sub-agent and for a session without a summary. */
export function sessionInfoOf(
  sessionId: string,
  digest: SessionDigest,
  facts: SessionFacts,
): SDKSessionInfo | undefined {
  if (digest.isSidechain === true) return undefined;
  const customTitle = digest.customTitle || digest.aiTitle;
  const firstPrompt = digest.firstPrompt || digest.commandFallback;
  const summary =
    customTitle || digest.lastPrompt || digest.summaryHint || firstPrompt || facts.fallbackSummary;
  if (!summary) return undefined;
  const cwd = digest.cwd || facts.cwd;
  return {
    sessionId,
    summary,
    lastModified: facts.lastModified,
    ...(facts.fileSize === undefined ? {} : { fileSize: facts.fileSize }),
    ...(customTitle ? { customTitle } : {}),
    ...(firstPrompt ? { firstPrompt } : {}),
    ...(digest.gitBranch ? { gitBranch: digest.gitBranch } : {}),
    ...(cwd ? { cwd } : {}),
    ...(digest.tag ? { tag: digest.tag } : {}),
    ...(digest.createdAt === undefined ? {} : { createdAt: digest.createdAt }),
    ...(facts.archived === undefined ? {} : { archived: facts.archived }),
  };
}

export function sessionInfoOfSummary(
  { sessionId, mtime, data }: SessionSummaryEntry,
  cwd: string,
): SDKSessionInfo | undefined {
  return sessionInfoOf(sessionId, data, { lastModified: mtime, cwd });
}
