import type { Binding, Recipe } from "../binding.js";
import type { Worker } from "./worker.js";

/** A kind of process that should be ready before a call needs it. */
export interface Demand {
  readonly recipe: Recipe;
  readonly spawnKey: string;
  /** Processes receive all of this ahead; undefined if a process may serve any of several requests. */
  readonly requestKey: string | undefined;
  /** Set if processes receive their folder only from the call. */
  readonly familyKey: string | undefined;
}

/** The parts of a binding that hold no object of a caller. */
type Wanted = Pick<Binding, "recipe" | "spawnKey" | "familyKey" | "requestKey" | "isInitializable">;

interface Known extends Wanted {
  readonly isPinned: boolean;
  /** How many calls in a row asked for this request key. */
  times: number;
  usedAt: number;
}

interface Trouble {
  readonly failures: number;
  readonly until: number;
  readonly error: unknown;
}

/** Remembers what calls ask for, so that a process is ready when they ask again. */
export class Demands {
  readonly #idleMs: number;
  /** By spawn key, or by request key for the options in `warm`; the latest last. */
  readonly #known = new Map<string, Known>();
  readonly #trouble = new Map<string, Trouble>();

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Notes a request of `warm`, which is kept as long as the pool lives. */
  pin(binding: Binding): void {
    const known = { ...wantedOf(binding), isPinned: true, times: 1, usedAt: performance.now() };
    this.#known.set(binding.requestKey, known);
  }

  /** Notes that a call has asked for this. */
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

  /** The latest first. Removes demands that no call has used within `idleMs`. */
  list(): readonly Demand[] {
    const now = performance.now();
    for (const [key, { isPinned, usedAt }] of this.#known) {
      if (!isPinned && now - usedAt > this.#idleMs) this.#known.delete(key);
    }
    for (const [key, { until }] of this.#trouble) {
      if (now - until > LONGEST_PAUSE_MS) this.#trouble.delete(key);
    }
    const all = [...this.#known.values()].reverse();
    const demands = new Map<string, Demand>();
    for (const demand of demandsOf(all)) {
      const { spawnKey, requestKey, familyKey } = demand;
      const key = familyKey === undefined ? `${spawnKey} ${requestKey}` : `family ${familyKey}`;
      if (!demands.has(key)) demands.set(key, demand);
    }
    return [...demands.values()];
  }

  /** The demands of `warm` only. */
  announced(): readonly Demand[] {
    const all = [...this.#known.values()];
    return demandsOf(all).filter((_, i) => all[i]?.isPinned);
  }

  /** How many of these workers can serve the demand now or soon. */
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

  /** Notes that a process did not start. Returns the time after which the next start may be tried. */
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

  /** How long no process is started for this demand, because the last ones failed. */
  pauseMs({ spawnKey }: Demand): number {
    const { until = 0 } = this.#trouble.get(spawnKey) ?? {};
    return Math.max(0, until - performance.now());
  }

  /** Why no process is started for this demand at the moment. */
  troubleOf(demand: Demand): { readonly error: unknown } | undefined {
    return this.pauseMs(demand) > 0 ? this.#trouble.get(demand.spawnKey) : undefined;
  }
}

const MOST = 100;
const REPEATED = 2;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

function wantedOf({ recipe, spawnKey, familyKey, requestKey, isInitializable }: Binding): Wanted {
  return { recipe, spawnKey, familyKey, requestKey, isInitializable };
}

/** The demand for each request that is known. */
function demandsOf(all: readonly Known[]): readonly Demand[] {
  const sizes = new Map<string | undefined, number>();
  for (const { familyKey } of all) sizes.set(familyKey, (sizes.get(familyKey) ?? 0) + 1);
  return all.map((known) => {
    const { recipe, spawnKey, familyKey, requestKey, isPinned, times } = known;
    const isRegular = isPinned || times >= REPEATED;
    if (isRegular && known.isInitializable) {
      return { recipe, spawnKey, requestKey, familyKey: undefined };
    }
    const roams = !isRegular && familyKey !== undefined && (sizes.get(familyKey) ?? 0) > 1;
    return { recipe, spawnKey, requestKey: undefined, familyKey: roams ? familyKey : undefined };
  });
}
