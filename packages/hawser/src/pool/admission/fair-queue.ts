/** An item of the queue. A higher priority goes first; lanes of the same priority take turns. */
export interface Queued {
  readonly priority: number;
  readonly lane: string;
}

interface Level<T> {
  readonly priority: number;
  /** In the order of their turns; no lane is empty. */
  readonly lanes: Map<string, Set<T>>;
}

/** Lets items go out of turn that can be served at once. */
export interface OutOfTurn<T> {
  /** Whether the item can be served at once. */
  isPreferred(item: T): boolean;
  /** How many items in a row may pass this one, which cannot be served at once. */
  patienceOf(item: T): number;
}

/**
 * A queue in which lanes take turns. A lane keeps its place until one of its items is taken, and then goes
 * behind all other lanes, also behind lanes that come before the next turn. A new lane goes behind the
 * waiting ones and gets no credit for its absence. So no waiting item is passed twice by the same other lane,
 * except by items that may go out of turn.
 */
export class FairQueue<T extends Queued> implements Iterable<T> {
  /** Highest priority first; no level is empty. */
  readonly #levels: Level<T>[] = [];
  #size = 0;
  #justServed: Queued | undefined;
  /** The item that others have passed out of turn, and how many in a row. */
  #passed: { readonly item: T; readonly times: number } | undefined;

  get size(): number {
    return this.#size;
  }

  has(item: T): boolean {
    const level = this.#levels.find(({ priority }) => priority === item.priority);
    return level?.lanes.get(item.lane)?.has(item) === true;
  }

  /** An item that is in the queue already keeps its place. */
  add(item: T): void {
    const { lanes } = this.#levelFor(item.priority);
    const lane = lanes.get(item.lane);
    if (lane?.has(item)) return;
    if (lane === undefined) lanes.set(item.lane, new Set([item]));
    else lane.add(item);
    this.#size += 1;
  }

  /** Says whether the item was in the queue. */
  remove(item: T): boolean {
    const level = this.#levels.find(({ priority }) => priority === item.priority);
    const lane = level?.lanes.get(item.lane);
    if (level === undefined || !lane?.delete(item)) return false;
    this.#size -= 1;
    if (lane.size === 0) level.lanes.delete(item.lane);
    if (level.lanes.size === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
    return true;
  }

  /**
   * Removes and returns the item whose turn it is, or an item of the same priority that may go out of turn. An
   * item that may not go stays where it is and does not block the others, not even in its own lane.
   */
  take(mayGo: (item: T) => boolean, outOfTurn?: OutOfTurn<T>): T | undefined {
    this.#sendBack();
    const next = this.#first(mayGo);
    if (next === undefined) return undefined;
    const item = outOfTurn === undefined ? next : this.#passing(next, mayGo, outOfTurn);
    this.remove(item);
    this.#justServed = { priority: item.priority, lane: item.lane };
    return item;
  }

  /** An item goes at once, because the queue is empty. */
  pass({ priority, lane }: Queued): void {
    this.#passed = undefined;
    this.#justServed = { priority, lane };
  }

  /** The items of one priority, lane by lane. Only a bounded number, however long the queue is. */
  *upcoming(wanted: number): Iterable<T> {
    const level = this.#levels.find(({ priority }) => priority === wanted);
    let looks = 0;
    for (const lane of level?.lanes.values() ?? []) {
      for (const item of lane) {
        if (looks++ >= MOST_LOOKS) return;
        yield item;
      }
    }
  }

  /** All items at this moment, by priority, then lane by lane. */
  [Symbol.iterator](): IterableIterator<T> {
    const lanes = this.#levels.flatMap((level) => [...level.lanes.values()]);
    return lanes.flatMap((lane) => [...lane]).values();
  }

  clear(): T[] {
    const items = [...this];
    this.#levels.length = 0;
    this.#size = 0;
    return items;
  }

  /** Done only at the next turn, so that the lane also goes behind lanes that came in the meantime. */
  #sendBack(): void {
    const served = this.#justServed;
    if (served === undefined) return;
    const lanes = this.#levels.find(({ priority }) => priority === served.priority)?.lanes;
    const lane = lanes?.get(served.lane);
    if (lanes === undefined || lane === undefined) return;
    lanes.delete(served.lane);
    lanes.set(served.lane, lane);
  }

  /** The item that passes `next`, or `next` itself. */
  #passing(next: T, mayGo: (item: T) => boolean, outOfTurn: OutOfTurn<T>): T {
    const { item, times } = this.#passed ?? { item: undefined, times: 0 };
    const passedTimes = item === next ? times : 0;
    this.#passed = undefined;
    if (this.#size === 1 || outOfTurn.isPreferred(next)) return next;
    if (passedTimes >= outOfTurn.patienceOf(next)) return next;
    for (const other of this.upcoming(next.priority)) {
      if (!outOfTurn.isPreferred(other) || !mayGo(other)) continue;
      this.#passed = { item: next, times: passedTimes + 1 };
      return other;
    }
    return next;
  }

  #first(mayGo: (item: T) => boolean): T | undefined {
    for (const { lanes } of this.#levels) {
      for (const lane of lanes.values()) {
        for (const item of lane) if (mayGo(item)) return item;
      }
    }
    return undefined;
  }

  #levelFor(priority: number): Level<T> {
    const at = this.#levels.findIndex((level) => level.priority <= priority);
    const found = this.#levels[at];
    if (found?.priority === priority) return found;
    const level: Level<T> = { priority, lanes: new Map() };
    this.#levels.splice(at < 0 ? this.#levels.length : at, 0, level);
    return level;
  }
}

const MOST_LOOKS = 200;
