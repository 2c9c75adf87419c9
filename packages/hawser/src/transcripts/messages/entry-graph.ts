import { Pace } from "../event-loop-pause.js";
import { asEntry, type Entry } from "../files/excerpt.js";
import { Parents } from "./parent-map.js";

/** The entries of a transcript that follow each other, by their ids. */
export class Links {
  readonly #entries = new Map<string, Entry>();
  readonly #parents = new Parents();
  /** Progress lines are links of the chain, but nothing that is ever shown. */
  readonly #progress = new Map<string, string | undefined>();

  private constructor() {}

  static async of(entries: Iterable<Entry>): Promise<Links> {
    const links = new Links();
    const pace = new Pace();
    const boundaries: Entry[] = [];
    for (const entry of entries) {
      links.#add(entry);
      if (asEntry(entry["compactMetadata"]) !== undefined) boundaries.push(entry);
      if (pace.isDue()) await pace.rest();
    }
    for (const boundary of boundaries) {
      links.#relink(boundary);
      if (pace.isDue()) await pace.rest();
    }
    return links;
  }

  get(uuid: string): Entry | undefined {
    return this.#entries.get(uuid);
  }

  parentOf(entry: Entry): Entry | undefined {
    const parent = this.#parents.get(String(entry["uuid"]));
    return parent === undefined ? undefined : this.#entries.get(parent);
  }

  /** The entries that something follows. */
  async parents(): Promise<Set<string>> {
    const pace = new Pace();
    const followed = new Set<string>();
    for (const [uuid, parent] of this.#parents) {
      if (this.#counts(uuid)) followed.add(parent);
      if (pace.isDue()) await pace.rest();
    }
    return followed;
  }

  /** Each entry once, where it came last. */
  inFileOrder(): Entry[] {
    return [...this.#entries.values()];
  }

  /** From the start of its conversation to an entry. */
  async chainTo(entry: Entry): Promise<Entry[]> {
    const pace = new Pace();
    const chain = new Set<Entry>();
    for (let at: Entry | undefined = entry; at !== undefined && !chain.has(at); ) {
      chain.add(at);
      at = this.parentOf(at);
      if (pace.isDue()) await pace.rest();
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
    if (!LINKED.has(String(type))) return;
    this.#entries.delete(uuid); // So that it stands where it came last.
    this.#entries.set(uuid, entry);
    if (parent === undefined) this.#parents.delete(uuid);
    else this.#parents.set(uuid, parent);
  }

  #parentId(entry: Entry): string | undefined {
    const parent = entry["parentUuid"];
    if (typeof parent !== "string") return undefined;
    return this.#progress.has(parent) ? this.#progress.get(parent) : parent;
  }

  /** A sub-agent's entries do not end the conversation that they hang on. */
  #counts(uuid: string): boolean {
    const entry = this.#entries.get(uuid);
    return entry !== undefined && entry["isSidechain"] !== true && entry["teamName"] === undefined;
  }

  /** Puts what a compaction kept behind the entry that it names, and what followed that behind it. */
  #relink(boundary: Entry): void {
    const metadata = asEntry(boundary["compactMetadata"]);
    const kept = this.#keptMessages(asEntry(metadata?.["preservedMessages"]));
    const segment = kept ?? keptSegment(asEntry(metadata?.["preservedSegment"]));
    if (segment === undefined) return;
    this.#parents.move(segment.anchor, segment.tail, segment.head);
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
  /** The parents of what stands between head and tail, the tail included, where they are told. */
  readonly inner: readonly (readonly [uuid: string, parent: string])[];
}

const LINKED: ReadonlySet<string> = new Set(["user", "assistant", "attachment", "system"]);

function keptSegment(kept: Entry | undefined): Segment | undefined {
  const { anchorUuid: anchor, headUuid: head, tailUuid: tail } = kept ?? {};
  if (typeof anchor !== "string" || typeof head !== "string" || typeof tail !== "string") {
    return undefined;
  }
  return { anchor, head, tail, inner: [] };
}
