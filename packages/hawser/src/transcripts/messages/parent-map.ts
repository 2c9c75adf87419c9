/**
 * Which entry each entry follows, by their ids. `moveChildren()` moves all children of an entry at
 * once: a crafted transcript may ask for that thousands of times, so it must not visit every child.
 */
export class ParentMap {
  readonly #groupOf = new Map<string, Group>();
  readonly #byParent = new Map<string, Group>();

  get(uuid: string): string | undefined {
    return this.#groupOf.get(uuid)?.parent;
  }

  set(uuid: string, parent: string): void {
    this.delete(uuid);
    const group = this.#byParent.get(parent) ?? { parent, members: new Set() };
    this.#byParent.set(parent, group);
    group.members.add(uuid);
    this.#groupOf.set(uuid, group);
  }

  delete(uuid: string): void {
    this.#groupOf.get(uuid)?.members.delete(uuid);
    this.#groupOf.delete(uuid);
  }

  /** Makes all children of one entry, except one of them, children of another entry. */
  moveChildren(from: string, to: string, except: string): void {
    const group = this.#byParent.get(from);
    if (group === undefined || from === to) return;
    const stays = group.members.has(except);
    if (stays) this.delete(except);
    this.#byParent.delete(from);
    const other = this.#byParent.get(to) ?? { parent: to, members: new Set() };
    // The smaller group joins the larger one, so that an entry changes its group log(n) times at
    // most.
    const [small, large] =
      group.members.size < other.members.size ? [group, other] : [other, group];
    for (const uuid of small.members) {
      large.members.add(uuid);
      this.#groupOf.set(uuid, large);
    }
    large.parent = to;
    this.#byParent.set(to, large);
    if (stays) this.set(except, from);
  }

  [Symbol.iterator](): Iterator<readonly [uuid: string, parent: string]> {
    return this.#pairs();
  }

  *#pairs(): Generator<readonly [uuid: string, parent: string]> {
    for (const [uuid, { parent }] of this.#groupOf) yield [uuid, parent];
  }
}

/** All entries that follow the same entry. */
interface Group {
  parent: string;
  readonly members: Set<string>;
}
