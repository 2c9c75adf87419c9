import { randomUUID } from "node:crypto";
import { HawserError, omitUndefined } from "../../base/index.js";
import type { SessionStoreEntry } from "../../options/index.js";
import { EventLoopPause } from "../event-loop-pause.js";
import { asEntry, type Entry } from "../files/entry.js";
import { foldSessionSummary } from "../list/fold-session-summary.js";
import type { SessionDigest } from "../list/session-digest.js";
import { type Cut, cutEntries } from "./fork-cut.js";

export interface ForkPlan {
  readonly source: string;
  readonly fork: string;
  readonly upToMessageId?: string | undefined;
  readonly title?: string | undefined;
}

/**
 * The entries of a fork: the same messages under new ids, then the state that the CLI keeps with
 * them.
 */
export async function forkEntries(
  entries: readonly Entry[],
  plan: ForkPlan,
): Promise<SessionStoreEntry[]> {
  const pause = new EventLoopPause();
  const parents = new ForkParents();
  const all = entries.filter((entry) => parents.add(entry));
  const cut = cutEntries(all, plan);
  const kept = cut.kept.filter(({ type }) => type !== "progress");
  const last = kept.at(-1);
  if (last === undefined) {
    throw new HawserError("session_not_found", `Session ${plan.source} has no messages to fork.`, {
      sessionId: plan.source,
      hint: "Fork a session that has had a prompt.",
    });
  }
  const ids = new Map(kept.map(({ uuid }) => [String(uuid), randomUUID() as string]));
  const now = new Date().toISOString();
  const copies: SessionStoreEntry[] = [];
  for (const entry of kept) {
    const copy = copyOf(entry, ids, parents, cut, plan);
    copies.push(entry === last ? { ...copy, timestamp: now } : copy);
    if (pause.isDue()) await pause.take();
  }
  return [...copies, ...stateEntries(entries, plan, now), titleEntry(entries, plan, now)];
}

/** Selects the entries of a fork, and knows their parents without the progress lines. */
class ForkParents {
  readonly #progress = new Map<string, unknown>();

  /** Records the entry. True if the fork copies it. */
  add(entry: Entry): boolean {
    const { uuid, type } = entry;
    if (typeof uuid !== "string" || entry["isSidechain"] === true) return false;
    if (type === "progress") this.#progress.set(uuid, this.of(entry));
    return COPIED.has(String(type));
  }

  of({ parentUuid }: Entry): unknown {
    const isProgress = typeof parentUuid === "string" && this.#progress.has(parentUuid);
    return isProgress ? this.#progress.get(parentUuid) : parentUuid;
  }
}

const COPIED: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "attachment",
  "system",
  "progress",
]);

function copyOf(
  entry: Entry,
  ids: ReadonlyMap<string, string>,
  parents: ForkParents,
  cut: Cut,
  { source, fork }: ForkPlan,
): SessionStoreEntry {
  // These fields name the agent and place of the source, and the fork has none yet.
  const { teamName, agentName, slug, sessionKind, sourceToolAssistantUUID, ...kept } = entry;
  const { requestSessionId: _, ...rest } = kept;
  const requested = requestSessionOf(entry);
  const newId = (old: unknown): string | null => ids.get(String(old)) ?? null;
  const logicalParent = entry["logicalParentUuid"];
  const metadata = asEntry(entry["compactMetadata"]);
  return {
    ...rest,
    type: String(entry["type"]),
    uuid: String(newId(entry["uuid"])),
    parentUuid: newId(parents.of(entry)),
    ...(logicalParent === undefined ? {} : { logicalParentUuid: newId(logicalParent) }),
    ...(metadata === undefined ? {} : { compactMetadata: remapMetadata(metadata, ids, cut) }),
    sessionId: fork,
    ...(requested === undefined ? {} : { requestSessionId: requested }),
    forkedFrom: { sessionId: source, messageUuid: entry["uuid"] },
  };
}

/** The session whose request a reply of the model answered, also if that session was a fork itself. */
function requestSessionOf(entry: Entry): string | undefined {
  if (entry["type"] !== "assistant") return undefined;
  const origins = [entry["requestSessionId"], asEntry(entry["forkedFrom"])?.["sessionId"]];
  return [...origins, entry["sessionId"]].find((each) => typeof each === "string");
}

/** The metadata of a compaction under the new ids. A kept segment behind the cut is left out. */
function remapMetadata(metadata: Entry, ids: ReadonlyMap<string, string>, cut: Cut): Entry {
  const newId = (old: unknown): unknown => ids.get(String(old)) ?? old;
  const { preservedSegment, preservedMessages, ...rest } = metadata;
  const segment = asEntry(preservedSegment);
  const messages = asEntry(preservedMessages);
  const ends = (kept: Entry | undefined) => kept?.["anchorUuid"] === cut.endsAtSummary;
  const all = (list: unknown) => (Array.isArray(list) ? list.map(newId) : list);
  return {
    ...rest,
    ...(segment === undefined || ends(segment)
      ? {}
      : { preservedSegment: Object.fromEntries(entriesMapped(segment, newId)) }),
    ...(messages === undefined || ends(messages)
      ? {}
      : {
          preservedMessages: omitUndefined({
            ...messages,
            anchorUuid: newId(messages["anchorUuid"]),
            uuids: all(messages["uuids"]),
            allUuids: all(messages["allUuids"]),
          }),
        }),
  };
}

function entriesMapped(segment: Entry, newId: (old: unknown) => unknown): [string, unknown][] {
  return Object.entries(segment).map(([name, value]) =>
    name.endsWith("Uuid") ? [name, newId(value)] : [name, value],
  );
}

/** State that the CLI would otherwise have to find again: replaced contents, and tools in use. */
function stateEntries(entries: readonly Entry[], plan: ForkPlan, now: string): SessionStoreEntry[] {
  const own = entries.filter(({ sessionId }) => sessionId === plan.source);
  const sessionId = plan.fork;
  const replacements = own
    .filter(({ type }) => type === "content-replacement")
    .flatMap((entry) => (Array.isArray(entry["replacements"]) ? entry["replacements"] : []));
  const latch = own.findLast(({ type }) => type === "atis-latch");
  const tools = own.findLast(({ type }) => type === "tools-used");
  const stamp = { uuid: randomUUID(), timestamp: now };
  return [
    ...(replacements.length > 0
      ? [{ type: "content-replacement", sessionId, replacements, ...stamp }]
      : []),
    ...(latch ? [{ type: "atis-latch", sessionId, atis: latch["atis"] }] : []),
    ...(tools ? [{ type: "tools-used", sessionId, tools: tools["tools"] }] : []),
  ];
}

function titleEntry(entries: readonly Entry[], plan: ForkPlan, now: string): SessionStoreEntry {
  const key = { projectKey: "", sessionId: plan.source };
  const digest: SessionDigest = foldSessionSummary(
    undefined,
    key,
    entries as SessionStoreEntry[],
  ).data;
  const known =
    digest.customTitle || digest.aiTitle || digest.firstPrompt || digest.commandFallback;
  const customTitle = plan.title?.trim() || `${known || "Forked session"} (fork)`;
  const stamp = { uuid: randomUUID(), timestamp: now };
  return { type: "custom-title", sessionId: plan.fork, customTitle, ...stamp };
}
