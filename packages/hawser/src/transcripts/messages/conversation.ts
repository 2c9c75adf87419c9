import { Pace } from "../event-loop-pause.js";
import type { Entry } from "../files/excerpt.js";
import { Links } from "./entry-graph.js";
import { withParallelCalls } from "./parallel-tool-calls.js";

/**
 * The conversation that a transcript ends with: the chain of parents of its last message, the start
 * first. What was abandoned by a rewind is not on it; what a compaction kept, and the calls of tools
 * that ran side by side, are.
 */
export async function conversation(entries: Iterable<Entry>): Promise<Entry[]> {
  const links = await Links.of(entries);
  const leaf = await lastLeaf(links);
  return leaf === undefined ? [] : withParallelCalls(await links.chainTo(leaf), links);
}

/** The conversation of a sub-agent: nothing is compacted or abandoned there. */
export async function subagentConversation(entries: Iterable<Entry>): Promise<Entry[]> {
  const pace = new Pace();
  const all = new Map<unknown, Entry>();
  let leaf: Entry | undefined;
  for (const entry of entries) {
    if (pace.isDue()) await pace.rest();
    if (typeof entry["uuid"] !== "string" || !LINKED.has(String(entry["type"]))) continue;
    all.set(entry["uuid"], entry);
    if (isMessage(entry)) leaf = entry;
  }
  const chain = new Set<Entry>();
  for (let at = leaf; at !== undefined && !chain.has(at); at = all.get(at["parentUuid"])) {
    chain.add(at);
    if (pace.isDue()) await pace.rest();
  }
  return [...chain].reverse().filter(isMessage);
}

export function isMessage(entry: Entry): boolean {
  return entry["type"] === "user" || entry["type"] === "assistant";
}

const LINKED: ReadonlySet<string> = new Set(["user", "assistant", "attachment", "system"]);

/**
 * The message that the last loose end of the file hangs on. An entry that was passed before leads to
 * nothing, because the walk would have ended there: so each entry is passed once.
 */
async function lastLeaf(links: Links): Promise<Entry | undefined> {
  const pace = new Pace();
  const parents = await links.parents();
  const passed = new Set<Entry>();
  for (const end of links.inFileOrder().reverse()) {
    if (pace.isDue()) await pace.rest();
    if (parents.has(String(end["uuid"])) || isAside(end)) continue;
    let at: Entry | undefined = end;
    while (at !== undefined && !passed.has(at) && !isMessage(at)) {
      passed.add(at);
      at = links.parentOf(at);
      if (pace.isDue()) await pace.rest();
    }
    if (at !== undefined && !passed.has(at) && !isAside(at)) return at;
  }
  return undefined;
}

/** Entries of sub-agents and of team mates: not this conversation's. */
export function isAside(entry: Entry): boolean {
  return entry["isSidechain"] === true || entry["teamName"] !== undefined;
}
