import type { Entry } from "./excerpt.js";
import { Links } from "./links.js";
import { withParallelCalls } from "./parallel.js";

/**
 * The conversation that a transcript ends with: the chain of parents of its last message, the start
 * first. What was abandoned by a rewind is not on it; what a compaction kept, and the calls of tools
 * that ran side by side, are.
 */
export function conversation(entries: Iterable<Entry>): Entry[] {
  const links = new Links(entries);
  const leaf = lastLeaf(links);
  return leaf === undefined ? [] : withParallelCalls(links.chainTo(leaf), links);
}

/** The conversation of a sub-agent: nothing is compacted or abandoned there. */
export function subagentConversation(entries: Iterable<Entry>): Entry[] {
  const all = new Map<unknown, Entry>();
  let leaf: Entry | undefined;
  for (const entry of entries) {
    if (typeof entry["uuid"] !== "string" || !LINKED.has(String(entry["type"]))) continue;
    all.set(entry["uuid"], entry);
    if (isMessage(entry)) leaf = entry;
  }
  const chain: Entry[] = [];
  const seen = new Set<Entry>();
  for (let at = leaf; at !== undefined && !seen.has(at); at = all.get(at["parentUuid"])) {
    seen.add(at);
    chain.unshift(at);
  }
  return chain.filter(isMessage);
}

export function isMessage(entry: Entry): boolean {
  return entry["type"] === "user" || entry["type"] === "assistant";
}

const LINKED: ReadonlySet<string> = new Set(["user", "assistant", "attachment", "system"]);

/** The message that the last loose end of the file hangs on. */
function lastLeaf(links: Links): Entry | undefined {
  const parents = links.parents();
  for (const end of links.inFileOrder().reverse()) {
    if (parents.has(String(end["uuid"])) || isAside(end)) continue;
    const leaf = links.chainTo(end).reverse().find(isMessage);
    if (leaf !== undefined && !isAside(leaf)) return leaf;
  }
  return undefined;
}

/** Entries of sub-agents and of team mates: not this conversation's. */
export function isAside(entry: Entry): boolean {
  return entry["isSidechain"] === true || entry["teamName"] !== undefined;
}
