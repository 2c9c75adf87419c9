import { EventLoopPause } from "../event-loop-pause.js";
import type { Entry } from "../files/entry.js";
import { EntryGraph, isOfOtherAgent, LINKED_TYPES } from "./entry-graph.js";
import { withParallelToolCalls } from "./parallel-tool-calls.js";

/**
 * The conversation that a transcript ends with: the chain of parents of its last message, the start
 * first. It leaves out messages that a rewind has abandoned. It includes messages that a compaction
 * kept, and the calls of tools that ran in parallel.
 */
export async function findConversation(entries: Iterable<Entry>): Promise<Entry[]> {
  const graph = await EntryGraph.of(entries);
  const leaf = await lastLeaf(graph);
  return leaf === undefined ? [] : withParallelToolCalls(await graph.chainTo(leaf), graph);
}

/** The conversation of a sub-agent, in which nothing is compacted or abandoned. */
export async function findSubagentConversation(entries: Iterable<Entry>): Promise<Entry[]> {
  const pause = new EventLoopPause();
  const all = new Map<unknown, Entry>();
  let leaf: Entry | undefined;
  for (const entry of entries) {
    if (pause.isDue()) await pause.take();
    if (typeof entry["uuid"] !== "string" || !LINKED_TYPES.has(String(entry["type"]))) continue;
    all.set(entry["uuid"], entry);
    if (isMessage(entry)) leaf = entry;
  }
  const chain = new Set<Entry>();
  for (let at = leaf; at !== undefined && !chain.has(at); at = all.get(at["parentUuid"])) {
    chain.add(at);
    if (pause.isDue()) await pause.take();
  }
  return [...chain].reverse().filter(isMessage);
}

export function isMessage(entry: Entry): boolean {
  return entry["type"] === "user" || entry["type"] === "assistant";
}

/**
 * The message at or above the last entry of the file that no other entry follows. Each entry is
 * visited once: a walk that comes to a visited entry would find what the earlier walk found, which
 * was nothing.
 */
async function lastLeaf(graph: EntryGraph): Promise<Entry | undefined> {
  const pause = new EventLoopPause();
  const parents = await graph.parentIds();
  const visited = new Set<Entry>();
  for (const end of graph.inFileOrder().reverse()) {
    if (pause.isDue()) await pause.take();
    if (parents.has(String(end["uuid"])) || isOfOtherAgent(end)) continue;
    let at: Entry | undefined = end;
    while (at !== undefined && !visited.has(at) && !isMessage(at)) {
      visited.add(at);
      at = graph.parentOf(at);
      if (pause.isDue()) await pause.take();
    }
    if (at !== undefined && !visited.has(at) && !isOfOtherAgent(at)) return at;
  }
  return undefined;
}
