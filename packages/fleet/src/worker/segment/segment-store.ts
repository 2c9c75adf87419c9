import type { SessionKey, SessionStore, SessionStoreEntry } from "hawser";
import type { LeasedStore } from "../../sessions/leased-store.js";

/**
 * The store of a segment, which can be frozen. A call that is parked must stay without a result in the transcript,
 * but the CLI can only be stopped by a denial, which it writes down.
 */
export class SegmentStore implements SessionStore {
  readonly #store: LeasedStore;
  /** The calls and the results that this segment has read in the transcript, or added to it. */
  readonly #stored = new Set<string>();
  #onStored: () => void = () => {};
  #isFrozen = false;

  constructor(store: LeasedStore) {
    this.#store = store;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    const kept = this.#isFrozen ? entries.filter(isCostTotal) : entries;
    if (kept.length > 0) await this.#store.append(key, kept);
    for (const entry of entries) this.#note(entry);
    this.#onStored();
  }

  /** Forgets the transcript, because the session begins anew. */
  clear(): Promise<void> {
    return this.#store.clear();
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = await this.#store.load(key);
    for (const entry of entries ?? []) this.#note(entry);
    return entries;
  }

  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    return this.#store.listSubkeys(key);
  }

  /**
   * Takes nothing more, once the call itself and the results of those that ended are stored: the CLI writes its
   * transcript up to 100 ms late. False if the call is not stored in time, or if `mayFreeze()` does not hold then;
   * nothing is frozen in this case.
   */
  async freezeAfter(
    call: string,
    endedCalls: readonly string[],
    mayFreeze: () => boolean,
    limitMs: number,
  ): Promise<boolean> {
    const wanted = [callName(call), ...endedCalls.map(resultName)];
    const until = performance.now() + limitMs;
    while (!wanted.every((name) => this.#stored.has(name)) && performance.now() < until) {
      await this.#nextEntries(until - performance.now());
    }
    this.#isFrozen = this.#stored.has(callName(call)) && mayFreeze();
    return this.#isFrozen;
  }

  #nextEntries(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onStored = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #note({ message }: SessionStoreEntry): void {
    const content: unknown = (message as { content?: unknown } | undefined)?.content;
    for (const block of Array.isArray(content) ? content : []) {
      const { type, id, tool_use_id } = (block ?? {}) as Record<string, unknown>;
      if (type === "tool_use") this.#stored.add(callName(id));
      if (type === "tool_result") this.#stored.add(resultName(tool_use_id));
    }
  }
}

function callName(toolUseId: unknown): string {
  return `call ${String(toolUseId)}`;
}

function resultName(toolUseId: unknown): string {
  return `result ${String(toolUseId)}`;
}

/** The CLI's running total of the session's cost, which the next segment counts from. */
function isCostTotal({ type }: SessionStoreEntry): boolean {
  return type === "cost-state";
}
