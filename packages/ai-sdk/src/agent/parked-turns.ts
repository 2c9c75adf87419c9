/** A turn of an agent, as `ParkedTurns` knows it. */
export interface ParkedTurn {
  /** Denies what the turn waits for, and ends its process. */
  close(): Promise<void>;
}

/** What a turn waits for: the answer to a question, or the result of a tool of the caller. */
export interface Wait {
  /** The id that the answer names: of the approval request, or of the tool call. */
  readonly id: string;
  readonly toolCallId: string;
}

/** Why a wait is over: the answer came, or the turn ended without it. */
export type WaitEnd = "answered" | "expired" | "evicted" | "superseded" | "closed";

/** What is known of the turn that a request wants to continue. */
export type Claim<T> =
  | { readonly type: "claimed"; readonly turn: T }
  /** The answers were given before, or another request continues the turn just now. */
  | { readonly type: "taken" }
  /** No turn of this program waits, or ever waited for these answers; or it ended without them. */
  | { readonly type: "gone" };

export interface ParkingLimits {
  /** At most the longest time of a timer of Node. */
  readonly parkedMs: number;
  readonly maxParked: number;
}

/**
 * The turns of a provider's agents, those that run and those that wait for an answer. A turn that nobody continues ends
 * at its time limit, so that no process stays. An answer counts once, because a turn is taken by the request that
 * continues it, and the ids of earlier answers are remembered.
 */
export class ParkedTurns<T extends ParkedTurn> {
  readonly #entries = new Map<T, Entry<T>>();
  readonly #byId = new Map<string, Entry<T>>();
  /** How each wait ended, by the id of the wait and by that of its tool call; the newest last. */
  readonly #ends = new Map<string, WaitEnd>();
  #isClosed = false;

  /** How many turns wait. */
  get waiting(): number {
    return [...this.#entries.values()].filter(({ isParked }) => isParked).length;
  }

  /** How many turns run or wait. */
  get size(): number {
    return this.#entries.size;
  }

  /** Knows a turn that begins. */
  add(turn: T): void {
    this.#entries.set(turn, { turn, waits: [], isParked: false, timer: undefined });
    if (this.#isClosed) this.#close(turn);
  }

  /** Lets a turn wait for answers. */
  park(turn: T, waits: readonly Wait[], { parkedMs, maxParked }: ParkingLimits): void {
    const entry = this.#entries.get(turn);
    if (entry === undefined) return;
    entry.waits = waits;
    entry.isParked = true;
    for (const { id, toolCallId } of waits) {
      this.#byId.set(id, entry);
      this.#byId.set(toolCallId, entry);
    }
    // A time limit does not keep the program alive.
    entry.timer = setTimeout(() => this.#end(entry, "expired"), parkedMs).unref();
    const parked = [...this.#entries.values()].filter(({ isParked }) => isParked);
    // The turn that was parked first has been in the map for the longest time, or was moved to its end below.
    for (const oldest of parked.slice(0, Math.max(0, parked.length - Math.max(1, maxParked)))) {
      this.#end(oldest, "evicted");
    }
  }

  /**
   * Takes the turn that waits for these answers. It runs then, until it is parked again. The id of a tool call is no
   * answer to a question about that call, and the turn would wait for ever.
   */
  claim(ids: readonly string[]): Claim<T> {
    const given = new Set(ids);
    const entry = ids
      .map((id) => this.#byId.get(id))
      .find((found) => found?.waits.some(({ id }) => given.has(id)));
    if (entry === undefined) {
      const wasAnswered = ids.some((id) => this.#ends.get(id) === "answered");
      return { type: wasAnswered ? "taken" : "gone" };
    }
    if (!entry.isParked) return { type: "taken" };
    clearTimeout(entry.timer);
    entry.isParked = false;
    // Moved to the end, so that the order of the map is that of the last use.
    this.#entries.delete(entry.turn);
    this.#entries.set(entry.turn, entry);
    this.#forget(entry, "answered", ({ id }) => given.has(id));
    return { type: "claimed", turn: entry.turn };
  }

  /** How the wait of a tool call ended; undefined if it waits, or never waited in this program. */
  endOf(toolCallId: string): WaitEnd | undefined {
    return this.#ends.get(toolCallId);
  }

  /** Ends the turn that waits for this tool call, because the conversation went on without an answer. */
  supersede(toolCallId: string): void {
    const entry = this.#byId.get(toolCallId);
    if (entry?.isParked === true) this.#end(entry, "superseded");
  }

  /** Forgets a turn that is over. */
  delete(turn: T): void {
    const entry = this.#entries.get(turn);
    if (entry === undefined) return;
    clearTimeout(entry.timer);
    this.#entries.delete(turn);
    this.#forget(entry, "closed", () => true);
  }

  /** Ends all turns. A turn that begins later ends at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      [...this.#entries.values()].map((entry) => {
        clearTimeout(entry.timer);
        this.#forget(entry, "closed", () => true);
        return entry.turn.close();
      }),
    );
  }

  #end(entry: Entry<T>, why: WaitEnd): void {
    clearTimeout(entry.timer);
    entry.isParked = false;
    this.#forget(entry, why, () => true);
    this.#close(entry.turn);
  }

  /** A turn that waits has no reader that could be told of a failure to close it. */
  #close(turn: T): void {
    turn.close().catch(() => {});
  }

  #forget(entry: Entry<T>, why: WaitEnd, isOver: (wait: Wait) => boolean): void {
    for (const wait of entry.waits.filter(isOver)) {
      for (const id of [wait.id, wait.toolCallId]) {
        this.#byId.delete(id);
        this.#remember(id, why);
      }
    }
    entry.waits = entry.waits.filter((wait) => !isOver(wait));
  }

  #remember(id: string, why: WaitEnd): void {
    this.#ends.delete(id);
    this.#ends.set(id, why);
    if (this.#ends.size <= REMEMBERED) return;
    const [oldest] = this.#ends.keys();
    if (oldest !== undefined) this.#ends.delete(oldest);
  }
}

interface Entry<T> {
  readonly turn: T;
  waits: readonly Wait[];
  isParked: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** How many ids of earlier waits are remembered. */
const REMEMBERED = 10_000;
