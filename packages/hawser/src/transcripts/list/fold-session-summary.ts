import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from "../../options/index.js";
import { parseTimestamp } from "../files/entry.js";
import type { SessionDigest } from "./session-digest.js";
import { userInputOf } from "./user-input.js";

/**
 * Updates the summary of a session with new entries. It is for your own `SessionStore`: call it in
 * `append()` with the previous summary and the time of the write, and return all summaries from
 * `listSessionSummaries()`.
 */
export function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { mtime?: number | undefined } = {},
): SessionSummaryEntry {
  const digest: SessionDigest = { ...prev?.data };
  for (const entry of entries) addEntry(digest, entry);
  return {
    sessionId: prev?.sessionId ?? key.sessionId,
    mtime: options.mtime ?? prev?.mtime ?? 0,
    data: { ...digest },
  };
}

/** Types of entries of which only the last counts: the entry's field and its name in the digest. */
const LAST: Readonly<Record<string, { readonly field: string; readonly name: LastName }>> = {
  "custom-title": { field: "customTitle", name: "customTitle" },
  "ai-title": { field: "aiTitle", name: "aiTitle" },
  "last-prompt": { field: "lastPrompt", name: "lastPrompt" },
  summary: { field: "summary", name: "summaryHint" },
};

type LastName = "customTitle" | "aiTitle" | "lastPrompt" | "summaryHint";

function addEntry(digest: SessionDigest, entry: SessionStoreEntry): void {
  digest.isSidechain ??= entry["isSidechain"] === true;
  takeFirstValues(digest, entry);
  if (typeof entry["gitBranch"] === "string") digest.gitBranch = entry["gitBranch"];
  const last = LAST[entry.type];
  const value = last === undefined ? undefined : entry[last.field];
  if (last !== undefined && typeof value === "string") digest[last.name] = value;
  if (entry.type !== "tag") return;
  if (typeof entry["tag"] === "string" && entry["tag"] !== "") digest.tag = entry["tag"];
  else delete digest.tag;
}

/** Takes the fields that the first entry with a value decides. */
function takeFirstValues(digest: SessionDigest, entry: SessionStoreEntry): void {
  const time = digest.createdAt === undefined ? parseTimestamp(entry.timestamp) : undefined;
  if (time !== undefined) digest.createdAt = time;
  if (typeof entry["cwd"] === "string") digest.cwd ??= entry["cwd"];
  if (digest.firstPromptLocked === true) return;
  const input = userInputOf(entry);
  if (input?.kind === "command") digest.commandFallback ??= input.text;
  if (input?.kind !== "prompt") return;
  digest.firstPrompt = input.text;
  digest.firstPromptLocked = true;
}
