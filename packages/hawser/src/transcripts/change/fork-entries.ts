import { randomUUID } from "node:crypto";
import { HawserError } from "../../base/index.js";
import type { SessionStoreEntry } from "../../options/index.js";
import { Pace } from "../event-loop-pause.js";
import { asEntry, type Entry } from "../files/excerpt.js";
import { foldSessionSummary } from "../list/fold-session-summary.js";
import type { Digest } from "../list/session-digest.js";
import { type Cut, cutAt } from "./fork-cut.js";

export interface ForkPlan {
  readonly source: string;
  readonly fork: string;
  readonly upToMessageId?: string | undefined;
  readonly title?: string | undefined;
}

/** The entries of a fork: the same messages under new ids, then what the CLI knows beside them. */
export async function forkEntries(
  entries: readonly Entry[],
  plan: ForkPlan,
): Promise<SessionStoreEntry[]> {
  const pace = new Pace();
  const parents = new ForkParents();
  const all = entries.filter((entry) => parents.note(entry));
  const cut = cutAt(all, plan);
  const kept = cut.kept.filter(({ type }) => type !== "progress");
  const last = kept.at(-1);
  if (last === undefined) {
    throw new HawserError("session_not_found", `Session ${plan.source} has no messages to fork.`, {
      sessionId: plan.source,
      hint: "Fork a session that a prompt was sent in.",
    });
  }
  const ids = new Map(kept.map(({ uuid }) => [String(uuid), randomUUID() as string]));
  const now = new Date().toISOString();
  const copies: SessionStoreEntry[] = [];
  for (const entry of kept) {
    const copy = copyOf(entry, ids, parents, cut, plan);
    copies.push(entry === last ? { ...copy, timestamp: now } : copy);
    if (pace.isDue()) await pace.rest();
  }
  return [...copies, ...settings(entries, plan, now), titleEntry(entries, plan, now)];
}

/** Which entries a fork has, and what follows what when progress lines are left out. */
class ForkParents {
  readonly #progress = new Map<string, unknown>();

  note(entry: Entry): boolean {
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
  // These say whose entry it was, and where; a fork is nobody's yet.
  const { teamName, agentName, slug, sessionKind, sourceToolAssistantUUID, ...rest } = entry;
  const newId = (old: unknown): string | null => ids.get(String(old)) ?? null;
  const logicalParent = entry["logicalParentUuid"];
  const metadata = asEntry(entry["compactMetadata"]);
  return {
    ...rest,
    type: String(entry["type"]),
    uuid: String(newId(entry["uuid"])),
    parentUuid: newId(parents.of(entry)),
    ...(logicalParent === undefined ? {} : { logicalParentUuid: newId(logicalParent) }),
    ...(metadata === undefined ? {} : { compactMetadata: remapped(metadata, ids, cut) }),
    sessionId: fork,
    forkedFrom: { sessionId: source, messageUuid: entry["uuid"] },
  };
}

/** What a compaction kept is named by ids, which are new; nothing is kept behind the cut. */
function remapped(metadata: Entry, ids: ReadonlyMap<string, string>, cut: Cut): Entry {
  const newId = (old: unknown): unknown => ids.get(String(old)) ?? old;
  const { preservedSegment, preservedMessages, ...rest } = metadata;
  const segment = asEntry(preservedSegment);
  const messages = asEntry(preservedMessages);
  const ends = (kept: Entry | undefined) => kept?.["anchorUuid"] === cut.endsAtSummary;
  const all = (list: unknown) => (Array.isArray(list) ? list.map(newId) : list);
  const given = (fields: Entry) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    ...rest,
    ...(segment === undefined || ends(segment)
      ? {}
      : { preservedSegment: Object.fromEntries(entriesMapped(segment, newId)) }),
    ...(messages === undefined || ends(messages)
      ? {}
      : {
          preservedMessages: given({
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

/** What the CLI would otherwise find out anew: contents it has replaced, and what it has in use. */
function settings(entries: readonly Entry[], plan: ForkPlan, now: string): SessionStoreEntry[] {
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
  const digest: Digest = foldSessionSummary(undefined, key, entries as SessionStoreEntry[]).data;
  const known =
    digest.customTitle || digest.aiTitle || digest.firstPrompt || digest.commandFallback;
  const customTitle = plan.title?.trim() || `${known || "Forked session"} (fork)`;
  const stamp = { uuid: randomUUID(), timestamp: now };
  return { type: "custom-title", sessionId: plan.fork, customTitle, ...stamp };
}
