import type { Binding, Recipe } from "../binding.js";
import type { Worker } from "./worker.js";

/** Processes that are wanted before anybody comes for them. */
export interface Demand {
  readonly recipe: Recipe;
  readonly spawnKey: string;
  /** Processes are to be told all of this ahead; undefined if they may serve several requests. */
  readonly requestKey: string | undefined;
  /** Processes are to be told their folder late. */
  readonly familyKey: string | undefined;
}

/** Nothing that points into a caller's program. */
type Wanted = Pick<Binding, "recipe" | "spawnKey" | "familyKey" | "requestKey" | "isInitializable">;

interface Known extends Wanted {
  readonly isPinned: boolean;
  /** How often it was asked for without another in between. */
  times: number;
  usedAt: number;
}

interface Trouble {
  readonly failures: number;
  readonly until: number;
  readonly error: unknown;
}

/** What callers ask for, so that it is there when they come again. */
export class Demands {
  readonly #idleMs: number;
  /** By spawn key, or by request key for what was announced; the latest last. */
  readonly #known = new Map<string, Known>();
  readonly #trouble = new Map<string, Trouble>();

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Kept for as long as the pool lives. */
  pin(binding: Binding): void {
    const known = { ...wantedOf(binding), isPinned: true, times: 1, usedAt: performance.now() };
    this.#known.set(binding.requestKey, known);
  }

  note(binding: Binding): void {
    const { requestKey, spawnKey } = binding;
    const key = this.#known.has(requestKey) ? requestKey : spawnKey;
    const before = this.#known.get(key);
    const repeats = before?.requestKey === requestKey;
    this.#known.delete(key);
    this.#known.set(key, {
      ...wantedOf(binding),
      isPinned: before?.isPinned === true,
      times: repeats ? before.times + 1 : 1,
      usedAt: performance.now(),
    });
    while (this.#known.size > MOST) {
      const oldest = [...this.#known].find(([, { isPinned }]) => !isPinned);
      if (oldest === undefined) return;
      this.#known.delete(oldest[0]);
    }
  }

  /** The latest first; what nobody has asked for in a long time is forgotten. */
  list(): readonly Demand[] {
    const now = performance.now();
    for (const [key, { isPinned, usedAt }] of this.#known) {
      if (!isPinned && now - usedAt > this.#idleMs) this.#known.delete(key);
    }
    for (const [key, { until }] of this.#trouble) {
      if (now - until > LONGEST_PAUSE_MS) this.#trouble.delete(key);
    }
    const all = [...this.#known.values()].reverse();
    const demands = all.map((known) => this.#demandOf(known, all));
    return demands.filter((demand, i) => demands.findIndex((it) => isSame(it, demand)) === i);
  }

  /** What was announced, and not only seen. */
  announced(): readonly Demand[] {
    const all = [...this.#known.values()];
    return all.filter(({ isPinned }) => isPinned).map((known) => this.#demandOf(known, all));
  }

  /** How many of these workers serve it, or will. */
  static met({ spawnKey, requestKey, familyKey }: Demand, workers: Iterable<Worker>): number {
    let count = 0;
    for (const worker of workers) {
      const told = worker.requestKey;
      const fits =
        familyKey === undefined ? worker.spawnKey === spawnKey : worker.familyKey === familyKey;
      if (fits && told === requestKey && worker.isAvailableSoon) count += 1;
    }
    return count;
  }

  /** Gives the time after which it may be tried again. */
  failed({ spawnKey }: Pick<Demand, "spawnKey">, error: unknown): number {
    const { failures = 0 } = this.#trouble.get(spawnKey) ?? {};
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);
    const until = performance.now() + pauseMs;
    this.#trouble.set(spawnKey, { failures: failures + 1, until, error });
    return pauseMs;
  }

  succeeded({ spawnKey }: Pick<Demand, "spawnKey">): void {
    this.#trouble.delete(spawnKey);
  }

  /** How long no process is to be started for it, since the last ones failed. */
  pauseMs({ spawnKey }: Demand): number {
    const { until = 0 } = this.#trouble.get(spawnKey) ?? {};
    return Math.max(0, until - performance.now());
  }

  /** Why no process is started for it at the moment. */
  troubleOf(demand: Demand): { readonly error: unknown } | undefined {
    return this.pauseMs(demand) > 0 ? this.#trouble.get(demand.spawnKey) : undefined;
  }

  #demandOf(known: Known, all: readonly Known[]): Demand {
    const { recipe, spawnKey, familyKey, requestKey, isPinned, times } = known;
    const isRegular = isPinned || times >= REPEATED;
    if (isRegular && known.isInitializable) {
      return { recipe, spawnKey, requestKey, familyKey: undefined };
    }
    const family = all.filter((other) => other.familyKey === familyKey);
    const roams = !isRegular && familyKey !== undefined && family.length > 1;
    return { recipe, spawnKey, requestKey: undefined, familyKey: roams ? familyKey : undefined };
  }
}

const MOST = 100;
const REPEATED = 2;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

function wantedOf({ recipe, spawnKey, familyKey, requestKey, isInitializable }: Binding): Wanted {
  return { recipe, spawnKey, familyKey, requestKey, isInitializable };
}

function isSame(a: Demand, b: Demand): boolean {
  if (a.familyKey !== undefined) return a.familyKey === b.familyKey;
  return a.spawnKey === b.spawnKey && a.requestKey === b.requestKey && b.familyKey === undefined;
}
