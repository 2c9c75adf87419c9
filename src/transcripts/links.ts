import { asEntry, type Entry } from "./excerpt.js";

/** The entries of a transcript that follow each other, by their ids. */
export class Links {
  readonly #entries = new Map<string, Entry>();
  readonly #parents = new Map<string, string>();
  /** Progress lines are links of the chain, but nothing that is ever shown. */
  readonly #progress = new Map<string, string | undefined>();

  constructor(entries: Iterable<Entry>) {
    const kept: Entry[] = [];
    for (const entry of entries) {
      this.#add(entry);
      if (asEntry(entry["compactMetadata"]) !== undefined) kept.push(entry);
    }
    for (const boundary of kept) this.#relink(boundary);
  }

  get(uuid: string): Entry | undefined {
    return this.#entries.get(uuid);
  }

  parentOf(entry: Entry): Entry | undefined {
    const parent = this.#parents.get(String(entry["uuid"]));
    return parent === undefined ? undefined : this.#entries.get(parent);
  }

  /** The entries that something follows. */
  parents(): Set<string> {
    return new Set([...this.#parents].filter(([uuid]) => this.#counts(uuid)).map(([, up]) => up));
  }

  /** Each entry once, where it came last. */
  inFileOrder(): Entry[] {
    return [...this.#entries.values()];
  }

  /** From the start of its conversation to an entry. */
  chainTo(entry: Entry): Entry[] {
    const chain: Entry[] = [];
    const seen = new Set<Entry>();
    for (let at: Entry | undefined = entry; at !== undefined && !seen.has(at); ) {
      seen.add(at);
      chain.push(at);
      at = this.parentOf(at);
    }
    return chain.reverse();
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
    for (const [uuid, parent] of this.#parents) {
      if (parent === segment.anchor && uuid !== segment.head) this.#parents.set(uuid, segment.tail);
    }
    if (this.#entries.has(segment.head)) this.#parents.set(segment.head, segment.anchor);
    for (const [uuid, parent] of segment.inner) this.#parents.set(uuid, parent);
  }

  #keptMessages(kept: Entry | undefined): Segment | undefined {
    const { anchorUuid: anchor, uuids } = kept ?? {};
    if (typeof anchor !== "string" || !Array.isArray(uuids)) return undefined;
    const [head, ...rest] = uuids.map(String);
    if (head === undefined || !uuids.every((uuid) => this.#entries.has(String(uuid)))) {
      return undefined;
    }
    const inner = rest.map((uuid, at) => [uuid, [head, ...rest][at] ?? head] as const);
    return { anchor, head, tail: rest.at(-1) ?? head, inner };
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
