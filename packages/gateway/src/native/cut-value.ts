import { maskedStart } from "./masked-text.js";

/** How much of a value an event shows. */
export interface CutLimits {
  /** The most characters of one text. */
  readonly text: number;
  /** The most characters of all texts together. */
  readonly total: number;
  /** The most entries of one list or object. */
  readonly entries: number;
  readonly depth: number;
}

/** The limits of values in events. */
export const EVENT_LIMITS: CutLimits = { text: 2000, total: 8000, entries: 100, depth: 12 };

/** The limits of values that a client asked for. */
export const WIDE_LIMITS: CutLimits = {
  text: 4_000_000,
  total: 8_000_000,
  entries: 100_000,
  depth: 64,
};

/** A copy of a value that is small enough to be sent. */
export interface CutValue {
  readonly value: unknown;
  /** The paths at which something was left out or masked. */
  readonly cut: readonly string[];
}

/**
 * Copies a value as plain JSON, with secrets masked, and leaves out what exceeds the limits. Its work depends
 * on the limits and not on the size of the value.
 */
export function cutValue(
  value: unknown,
  path: string,
  mask: (text: string) => string,
  limits: CutLimits = EVENT_LIMITS,
): CutValue {
  const copy = new Copy(mask, limits);
  return { value: copy.of(value, path, 0), cut: copy.cut };
}

/** How much memory a value takes, roughly. Stops counting at the limit. */
export function sizeOf(value: unknown, limit: number): number {
  let size = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && size < limit) {
    const next = left.pop();
    if (typeof next === "string") size += next.length;
    else if (typeof next === "object" && next !== null) {
      size += 16;
      for (const item of Object.values(next)) {
        size += 16;
        if (size >= limit) break;
        left.push(item);
      }
    } else size += 8;
  }
  return size;
}

class Copy {
  readonly cut: string[] = [];
  readonly #mask: (text: string) => string;
  readonly #limits: CutLimits;
  #left: number;

  constructor(mask: (text: string) => string, limits: CutLimits) {
    this.#mask = mask;
    this.#limits = limits;
    this.#left = limits.total;
  }

  of(value: unknown, path: string, depth: number): unknown {
    if (typeof value === "string") return this.#text(value, path);
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value === "bigint") return String(value);
    if (typeof value !== "object") return undefined;
    if (depth >= this.#limits.depth) {
      this.cut.push(path);
      return null;
    }
    return Array.isArray(value) ? this.#list(value, path, depth) : this.#object(value, path, depth);
  }

  #text(text: string, path: string): string {
    const room = Math.min(this.#limits.text, Math.max(this.#left, 0));
    const short = wholeCharacters(maskedStart(text, room, this.#mask));
    if (short !== text) this.cut.push(path);
    this.#left -= short.length;
    return short;
  }

  #list(list: readonly unknown[], path: string, depth: number): unknown[] {
    const most = this.#left > 0 ? this.#limits.entries : 0;
    if (list.length > most) this.cut.push(path);
    return list
      .slice(0, most)
      .map((item, at) => this.of(item, `${path}[${at}]`, depth + 1) ?? null);
  }

  #object(value: object, path: string, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    let count = 0;
    for (const [key, item] of Object.entries(value)) {
      count += 1;
      if (count > this.#limits.entries || this.#left <= 0) {
        this.cut.push(path);
        break;
      }
      this.#left -= key.length;
      const copied = this.of(item, `${path}.${key}`, depth + 1);
      if (copied !== undefined) entries.push([key.slice(0, this.#limits.text), copied]);
    }
    // Not by assignment, because a model can name a field `__proto__`.
    return Object.fromEntries(entries);
  }
}

/** Without half of a surrogate pair at the end. */
function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
