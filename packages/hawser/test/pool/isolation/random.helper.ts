/** Random choices that a seed repeats. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new RangeError("There is nothing to pick from.");
    return found;
  }

  /** One of these names, with a probability by its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries[0]?.[0] as Name;
  }

  /** A unique word with a multiple of four letters, so that it can stand in base64, too. */
  word(): string {
    const letters = Array.from({ length: 14 }, () => ALPHABET[this.below(ALPHABET.length)]);
    return `canary${letters.join("")}`;
  }
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Every such word in a value, at any depth. */
export function wordsIn(value: unknown): ReadonlySet<string> {
  return new Set(JSON.stringify(value)?.match(/canary[a-z0-9]{14}/g) ?? []);
}
