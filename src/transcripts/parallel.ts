import { asEntry, type Entry } from "./excerpt.js";
import type { Links } from "./links.js";
import { contentBlocks } from "./prompt.js";

/**
 * A message of the model is one entry for each block, and each tool's result hangs on the entry of
 * its call: where calls ran side by side, a chain of parents passes only one of them. This puts the
 * others back, behind the last entry of that message that is on the chain.
 */
export function withParallelCalls(chain: readonly Entry[], links: Links): Entry[] {
  const onChain = new Set(chain);
  const groups = groupsOf(links.inFileOrder());
  const results = resultsByParent(links);
  const anchors = new Map<string, Entry>();
  for (const entry of chain) {
    const id = messageId(entry);
    if (id !== undefined) anchors.set(id, entry);
  }
  return chain.flatMap((entry) => {
    const id = messageId(entry);
    if (id === undefined || anchors.get(id) !== entry) return [entry];
    const group = groups.get(id) ?? [];
    const found = group.flatMap((each) => results.get(String(each["uuid"])) ?? []);
    const missing = (all: readonly Entry[]) =>
      all.filter((each) => !onChain.has(each)).sort(byTime);
    return [entry, ...missing(group), ...missing(found)];
  });
}

function groupsOf(entries: readonly Entry[]): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const id = messageId(entry);
    if (id === undefined || entry["isSidechain"] === true) continue;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [entry]);
    else group.push(entry);
  }
  return groups;
}

function resultsByParent(links: Links): Map<string, Entry[]> {
  const results = new Map<string, Entry[]>();
  for (const entry of links.inFileOrder()) {
    if (!isToolResult(entry)) continue;
    const parent = String(links.parentOf(entry)?.["uuid"]);
    const siblings = results.get(parent);
    if (siblings === undefined) results.set(parent, [entry]);
    else siblings.push(entry);
  }
  return results;
}

function isToolResult(entry: Entry): boolean {
  if (entry["type"] !== "user" || entry["isSidechain"] === true) return false;
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
