/**
 * Copies a value as plain JSON with at most `maxLength` characters of texts and numbers, each text masked. The work
 * depends on the limit and not on the size of the value.
 */
export function cutValue(value: unknown, maxLength: number, mask: MaskText): unknown {
  return new Copy(maxLength, mask).of(value, 0);
}

/** Masks a text; `key` is the name of the field that has it, if it is one of an object. */
export type MaskText = (text: string, key: string | undefined) => string;

/** A secret that reaches over the end of a shown text is still recognised within so many characters. */
const MASK_MARGIN = 8192;
const MOST_ENTRIES = 200;
const DEEPEST = 12;
/** Stands for what was left out. */
const CUT = "…";

class Copy {
  readonly #mask: MaskText;
  #left: number;

  constructor(maxLength: number, mask: MaskText) {
    this.#left = maxLength;
    this.#mask = mask;
  }

  of(value: unknown, depth: number, key?: string): unknown {
    if (typeof value === "string") return this.#text(value, key);
    // Brackets and commas count, too. Otherwise a list of lists of numbers would be as long as it likes.
    this.#left -= 1;
    if (typeof value === "number") return this.#number(value);
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value === "bigint") return this.#text(String(value), key);
    if (typeof value !== "object") return undefined;
    if (depth >= DEEPEST || this.#left <= 0) return CUT;
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
  }

  #text(text: string, key?: string): string {
    const room = Math.max(this.#left, 0);
    const isWhole = text.length <= room + MASK_MARGIN;
    const masked = this.#mask(isWhole ? text : text.slice(0, room + MASK_MARGIN), key);
    // The margin is never shown: a secret at its end is cut, so that it was perhaps not recognised.
    const most = isWhole ? room : Math.max(Math.min(room, masked.length - MASK_MARGIN), 0);
    const isShort = isWhole && masked.length <= room;
    const shown = isShort ? masked : `${wholeCharacters(masked.slice(0, most))}${CUT}`;
    this.#left -= shown.length;
    return shown;
  }

  #number(value: number): number | null {
    if (!Number.isFinite(value)) return null;
    this.#left -= String(value).length;
    return value;
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copies: unknown[] = [];
    for (const item of list) {
      if (copies.length >= MOST_ENTRIES || this.#left <= 0) {
        copies.push(CUT);
        break;
      }
      copies.push(this.of(item, depth + 1) ?? null);
    }
    return copies;
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const [key, item] of Object.entries(value)) {
      if (entries.length >= MOST_ENTRIES || this.#left <= 0) {
        entries.push([CUT, CUT]);
        break;
      }
      const name = this.#text(key);
      const copied = this.of(item, depth + 1, key);
      if (copied !== undefined) entries.push([name, copied]);
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
