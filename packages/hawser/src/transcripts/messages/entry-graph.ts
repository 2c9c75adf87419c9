import { EventLoopPause } from "../event-loop-pause.js";
import { asEntry, type Entry } from "../files/entry.js";
import { ParentMap } from "./parent-map.js";

/** The entries of a transcript and which entry each of them follows, by their ids. */
export class EntryGraph {
  readonly #entries = new Map<string, Entry>();
  readonly #parents = new ParentMap();
  /** The parents of progress lines. These lines are part of the chain, but are never shown. */
  readonly #progress = new Map<string, string | undefined>();

  private constructor() {}

  static async of(entries: Iterable<Entry>): Promise<EntryGraph> {
    const graph = new EntryGraph();
    const pause = new EventLoopPause();
    const boundaries: Entry[] = [];
    for (const entry of entries) {
      graph.#add(entry);
      if (asEntry(entry["compactMetadata"]) !== undefined) boundaries.push(entry);
      if (pause.isDue()) await pause.take();
    }
    for (const boundary of boundaries) {
      graph.#relink(boundary);
      if (pause.isDue()) await pause.take();
    }
    return graph;
  }

  get(uuid: string): Entry | undefined {
    return this.#entries.get(uuid);
  }

  parentOf(entry: Entry): Entry | undefined {
    const parent = this.#parents.get(String(entry["uuid"]));
    return parent === undefined ? undefined : this.#entries.get(parent);
  }

  /** The ids of the entries that another entry of the conversation follows. */
  async parentIds(): Promise<Set<string>> {
    const pause = new EventLoopPause();
    const parents = new Set<string>();
    for (const [uuid, parent] of this.#parents) {
      if (this.#isOfConversation(uuid)) parents.add(parent);
      if (pause.isDue()) await pause.take();
    }
    return parents;
  }

  /** Each entry once, at its last position in the file. */
  inFileOrder(): Entry[] {
    return [...this.#entries.values()];
  }

  /** The entries from the start of the conversation to an entry. */
  async chainTo(entry: Entry): Promise<Entry[]> {
    const pause = new EventLoopPause();
    const chain = new Set<Entry>();
    for (let at: Entry | undefined = entry; at !== undefined && !chain.has(at); ) {
      chain.add(at);
      at = this.parentOf(at);
      if (pause.isDue()) await pause.take();
    }
    return [...chain].reverse();
  }

  #add(entry: Entry): void {
    const { uuid, type } = entry as { uuid?: unknown; type?: unknown };
    if (typeof uuid !== "string") return;
    const parent = this.#parentId(entry);
    if (type === "progress") {
      this.#progress.set(uuid, parent);
      return;
    }
    if (!LINKED_TYPES.has(String(type))) return;
    this.#entries.delete(uuid); // So that the entry moves to its last position.
    this.#entries.set(uuid, entry);
    if (parent === undefined) this.#parents.delete(uuid);
    else this.#parents.set(uuid, parent);
  }

  #parentId(entry: Entry): string | undefined {
    const parent = entry["parentUuid"];
    if (typeof parent !== "string") return undefined;
    return this.#progress.has(parent) ? this.#progress.get(parent) : parent;
  }

  /**
   * Entries of sub-agents and team mates do not count: the entry before them may still be a leaf.
   */
  #isOfConversation(uuid: string): boolean {
    const entry = this.#entries.get(uuid);
    return entry !== undefined && !isOfOtherAgent(entry);
  }

  /**
   * Puts the entries that a compaction kept behind the anchor that it names, and the entries that
   * followed the anchor behind the kept ones.
   */
  #relink(boundary: Entry): void {
    const metadata = asEntry(boundary["compactMetadata"]);
    const kept = this.#keptMessages(asEntry(metadata?.["preservedMessages"]));
    const segment = kept ?? keptSegment(asEntry(metadata?.["preservedSegment"]));
    if (segment === undefined) return;
    this.#parents.moveChildren(segment.anchor, segment.tail, segment.head);
    if (this.#entries.has(segment.head)) this.#parents.set(segment.head, segment.anchor);
    for (const [uuid, parent] of segment.inner) this.#parents.set(uuid, parent);
  }

  #keptMessages(kept: Entry | undefined): Segment | undefined {
    const { anchorUuid: anchor, uuids } = kept ?? {};
    if (typeof anchor !== "string" || !Array.isArray(uuids)) return undefined;
    const all = uuids.map(String);
    const [head] = all;
    if (head === undefined || !all.every((uuid) => this.#entries.has(uuid))) return undefined;
    const inner = all.slice(1).map((uuid, at) => [uuid, all[at] ?? head] as const);
    return { anchor, head, tail: all.at(-1) ?? head, inner };
  }
}

interface Segment {
  readonly anchor: string;
  readonly head: string;
  readonly tail: string;
  /** The parents of the entries after the head up to the tail, if the compaction lists them. */
  readonly inner: readonly (readonly [uuid: string, parent: string])[];
}

/** The types of entries that follow each other. */
export const LINKED_TYPES: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "attachment",
  "system",
]);

/** Whether an entry is of a sub-agent or a team mate, and so not of this conversation. */
export function isOfOtherAgent(entry: Entry): boolean {
  return entry["isSidechain"] === true || entry["teamName"] !== undefined;
}

function keptSegment(kept: Entry | undefined): Segment | undefined {
  const { anchorUuid: anchor, headUuid: head, tailUuid: tail } = kept ?? {};
  if (typeof anchor !== "string" || typeof head !== "string" || typeof tail !== "string") {
    return undefined;
  }
  return { anchor, head, tail, inner: [] };
}
