import { EventLoopPause } from "../event-loop-pause.js";
import { asEntry, contentBlocks, type Entry } from "../files/entry.js";
import type { EntryGraph } from "./entry-graph.js";

/**
 * A message of the model is one entry for each block, and each tool result follows the entry of its
 * call. If calls ran in parallel, a chain of parents contains only one of them. This function adds
 * the others behind the last entry of that message that is on the chain.
 */
export async function withParallelToolCalls(
  chain: readonly Entry[],
  graph: EntryGraph,
): Promise<Entry[]> {
  const pause = new EventLoopPause();
  const onChain = new Set(chain);
  const { groups, results } = await indexOf(graph);
  const anchors = new Map<string, Entry>();
  for (const entry of chain) {
    const id = messageId(entry);
    if (id !== undefined) anchors.set(id, entry);
  }
  const missing = (all: readonly Entry[]) => all.filter((each) => !onChain.has(each)).sort(byTime);
  const whole: Entry[] = [];
  for (const entry of chain) {
    whole.push(entry);
    if (pause.isDue()) await pause.take();
    const id = messageId(entry);
    if (id === undefined || anchors.get(id) !== entry) continue;
    const group = groups.get(id) ?? [];
    const found = group.flatMap((each) => results.get(String(each["uuid"])) ?? []);
    for (const each of missing(group)) whole.push(each);
    for (const each of missing(found)) whole.push(each);
  }
  return whole;
}

interface Index {
  /** The entries of each message of the model. */
  readonly groups: Map<string, Entry[]>;
  /** The tool results by the id of the entry that they follow. */
  readonly results: Map<string, Entry[]>;
}

async function indexOf(graph: EntryGraph): Promise<Index> {
  const pause = new EventLoopPause();
  const groups = new Map<string, Entry[]>();
  const results = new Map<string, Entry[]>();
  for (const entry of graph.inFileOrder()) {
    if (pause.isDue()) await pause.take();
    if (entry["isSidechain"] === true) continue;
    const id = messageId(entry);
    if (id !== undefined) addTo(groups, id, entry);
    if (isToolResult(entry)) addTo(results, String(graph.parentOf(entry)?.["uuid"]), entry);
  }
  return { groups, results };
}

function addTo(lists: Map<string, Entry[]>, key: string, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}

function isToolResult(entry: Entry): boolean {
  if (entry["type"] !== "user") return false;
  return contentBlocks(entry).some((block) => block["type"] === "tool_result");
}

function messageId(entry: Entry): string | undefined {
  if (entry["type"] !== "assistant") return undefined;
  const id = asEntry(entry["message"])?.["id"];
  return typeof id === "string" ? id : undefined;
}

function byTime(a: Entry, b: Entry): number {
  const [left, right] = [String(a["timestamp"]), String(b["timestamp"])];
  return left < right ? -1 : left > right ? 1 : 0;
}
