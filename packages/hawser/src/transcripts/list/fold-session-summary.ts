import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from "../../options/index.js";
import { type Digest, timeOf } from "./session-digest.js";
import { saidBy } from "./user-input.js";

/**
 * The summary of a session after some more entries. For stores: call it in `append()`, with the
 * former summary and the time of the write, and give all summaries in `listSessionSummaries()`.
 */
export function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: readonly SessionStoreEntry[],
  options: { mtime?: number | undefined } = {},
): SessionSummaryEntry {
  const digest: Digest = { ...prev?.data };
  for (const entry of entries) note(digest, entry);
  return {
    sessionId: prev?.sessionId ?? key.sessionId,
    mtime: options.mtime ?? prev?.mtime ?? 0,
    data: { ...digest },
  };
}

/** Entries of which the last one counts: the field that says it, and our name for it. */
const LAST: Readonly<Record<string, { readonly field: string; readonly name: LastName }>> = {
  "custom-title": { field: "customTitle", name: "customTitle" },
  "ai-title": { field: "aiTitle", name: "aiTitle" },
  "last-prompt": { field: "lastPrompt", name: "lastPrompt" },
  summary: { field: "summary", name: "summaryHint" },
};

type LastName = "customTitle" | "aiTitle" | "lastPrompt" | "summaryHint";

function note(digest: Digest, entry: SessionStoreEntry): void {
  digest.isSidechain ??= entry["isSidechain"] === true;
  noteStart(digest, entry);
  if (typeof entry["gitBranch"] === "string") digest.gitBranch = entry["gitBranch"];
  const last = LAST[entry.type];
  const value = last === undefined ? undefined : entry[last.field];
  if (last !== undefined && typeof value === "string") digest[last.name] = value;
  if (entry.type !== "tag") return;
  if (typeof entry["tag"] === "string" && entry["tag"] !== "") digest.tag = entry["tag"];
  else delete digest.tag;
}

/** What the first entry that has it says for good. */
function noteStart(digest: Digest, entry: SessionStoreEntry): void {
  const time = digest.createdAt === undefined ? timeOf(entry.timestamp) : undefined;
  if (time !== undefined) digest.createdAt = time;
  if (typeof entry["cwd"] === "string") digest.cwd ??= entry["cwd"];
  if (digest.firstPromptLocked === true) return;
  const said = saidBy(entry);
  if (said?.kind === "command") digest.commandFallback ??= said.text;
  if (said?.kind !== "prompt") return;
  digest.firstPrompt = said.text;
  digest.firstPromptLocked = true;
}
