import {
  getSessionMessages,
  getSubagentMessages,
  listSubagents,
  type SDKSessionInfo,
  type SessionMessage,
  type TranscriptPlace,
} from "hawser";

/** A session with a text that was searched for. */
export interface SearchHit {
  readonly session: SDKSessionInfo;
  /** The text around the first place, with secrets masked, if it is in a message. */
  readonly excerpt?: string;
  readonly messageUuid?: string;
  /** The sub-agent whose message it is. */
  readonly agentId?: string;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  /** False if the search ended before it had read all transcripts: at its limits, or because a newer one began. */
  readonly isComplete: boolean;
}

export interface SearchOptions {
  /** The text, in lower case. */
  readonly wanted: string;
  /** The most hits. */
  readonly limit: number;
  readonly mask: (text: string) => string;
  /** Ends the search, which then has the hits so far. */
  readonly signal: AbortSignal;
}

/** A session on disk, and where it is. */
export interface StoredSession {
  readonly info: SDKSessionInfo;
  readonly place: TranscriptPlace;
}

/**
 * Searches titles and all messages of sessions, within limits of time and bytes: also the messages before a
 * compaction and those of sub-agents.
 */
export async function searchTranscripts(
  sessions: readonly StoredSession[],
  options: SearchOptions,
): Promise<SearchResult> {
  const { limit } = options;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(SEARCH_MS)]);
  const hits: SearchHit[] = [];
  let bytes = 0;
  for (const session of sessions) {
    const { info } = session;
    if (signal.aborted || hits.length >= limit) return { hits, isComplete: false };
    if (titlesOf(info).some((text) => excerptOf(text, options) !== undefined)) {
      hits.push({ session: info });
      continue;
    }
    bytes += info.fileSize ?? 0;
    if (bytes > SEARCH_BYTES) return { hits, isComplete: false };
    const hit = await findIn(session, { ...options, signal });
    if (hit !== undefined) hits.push({ session: info, ...hit });
  }
  return { hits, isComplete: !signal.aborted };
}

/** The text around what is wanted in a value of any shape, with secrets masked. */
export function excerptOf(
  value: unknown,
  { wanted, mask }: Pick<SearchOptions, "wanted" | "mask">,
): string | undefined {
  for (const text of textsOf(value)) {
    if (!text.toLowerCase().includes(wanted)) continue;
    // What is found only in a secret is not found: otherwise a search could guess it, letter by letter.
    const shown = mask(text);
    const at = shown.toLowerCase().indexOf(wanted);
    if (at >= 0) return shown.slice(Math.max(at - EXCERPT, 0), at + wanted.length + EXCERPT);
  }
  return undefined;
}

const SEARCH_MS = 2000;
const SEARCH_BYTES = 64 * 2 ** 20;
const EXCERPT = 120;

function titlesOf({ summary, firstPrompt = "", customTitle = "" }: SDKSessionInfo): string[] {
  return [summary, firstPrompt, customTitle];
}

type MessageHit = Omit<SearchHit, "session">;

async function findIn(
  { info: { sessionId }, place }: StoredSession,
  options: SearchOptions,
): Promise<MessageHit | undefined> {
  const messages = await getSessionMessages(sessionId, { ...place, includeHistory: true });
  const hit = firstHit(messages, options);
  if (hit !== undefined) return hit;
  for (const agentId of await listSubagents(sessionId, place)) {
    if (options.signal.aborted) return undefined;
    const found = firstHit(await getSubagentMessages(sessionId, agentId, place), options);
    if (found !== undefined) return { ...found, agentId };
  }
  return undefined;
}

function firstHit(
  messages: readonly SessionMessage[],
  options: SearchOptions,
): MessageHit | undefined {
  for (const { message, uuid } of messages) {
    const excerpt = excerptOf(message, options);
    if (excerpt !== undefined) return { excerpt, messageUuid: uuid };
  }
  return undefined;
}

/** All texts in a value, in their order. Without recursion, because a tool decides how deep its result is. */
function* textsOf(value: unknown): Generator<string> {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === "string") yield next;
    else if (typeof next === "object" && next !== null) {
      for (const item of Object.values(next).reverse()) left.push(item);
    }
  }
}
