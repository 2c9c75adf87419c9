import { HawserError } from "../../base/index.js";
import { asEntry, type Entry } from "../files/entry.js";

export interface Cut {
  readonly kept: readonly Entry[];
  /**
   * The id of the compaction summary that the fork ends with; equal to no id if it ends elsewhere.
   */
  readonly endsAtSummary: unknown;
}

/** The entries up to a message in the order of the file; all entries if no message is named. */
export function cutEntries(
  entries: readonly Entry[],
  {
    source,
    upToMessageId,
  }: { readonly source: string; readonly upToMessageId?: string | undefined },
): Cut {
  if (upToMessageId === undefined) return { kept: entries, endsAtSummary: NONE };
  const at = messageIndex(entries, upToMessageId);
  if (at < 0) {
    const what = `There is no message ${JSON.stringify(upToMessageId)} in session ${source}.`;
    throw new HawserError("invalid_options", what, {
      sessionId: source,
      hint: "Set `upToMessageId` to the `uuid` of a message that getSessionMessages() returns.",
    });
  }
  const isSummary = entries[at]?.["isCompactSummary"] === true;
  const end = isSummary ? at : beforeOpenCompaction(entries, at);
  return { kept: entries.slice(0, end + 1), endsAtSummary: isSummary ? upToMessageId : NONE };
}

/** The index of the message. A progress line stands for the message that it follows. */
function messageIndex(entries: readonly Entry[], id: unknown): number {
  const places = new Map<unknown, number>();
  for (const [at, { uuid }] of entries.entries()) if (!places.has(uuid)) places.set(uuid, at);
  const visited = new Set<unknown>();
  for (let wanted = id; !visited.has(wanted); ) {
    visited.add(wanted);
    const at = places.get(wanted) ?? -1;
    const entry = entries[at];
    if (entry?.["type"] !== "progress") return at;
    wanted = entry["parentUuid"];
  }
  return -1;
}

/** Not equal to any id. */
const NONE: unique symbol = Symbol("none");

/**
 * If the cut is between a compaction boundary and its summary, the fork ends before the boundary,
 * because the model would get nothing of the conversation before it. A boundary that has no summary
 * at all was written by a rewind, and stays.
 */
function beforeOpenCompaction(entries: readonly Entry[], at: number): number {
  const boundary = entries.findLastIndex(
    ({ subtype }, index) => index <= at && subtype === "compact_boundary",
  );
  if (boundary <= 0) return at;
  const isSummary = (entry: Entry) => entry["isCompactSummary"] === true;
  const next = entries.findIndex(
    ({ subtype }, index) => index > boundary && subtype === "compact_boundary",
  );
  const summary = entries.findIndex((entry, index) => index > boundary && isSummary(entry));
  const isOpen = summary > at && (next < 0 || summary < next);
  if (!isOpen) return at;
  const kept = asEntry(asEntry(entries[boundary]?.["compactMetadata"])?.["preservedSegment"]);
  const tail = entries.findIndex(({ uuid }) => uuid === kept?.["tailUuid"]);
  return tail >= 0 && tail < boundary ? tail : boundary - 1;
}
