import type { Issue } from "../base/index.js";
import type { Pattern } from "./pattern.js";
import type { Schema } from "./places.js";
import type { JsonSchema } from "./standard-schema.js";

/** What one schema says about one value. */
export class Visit {
  readonly issues: Issue[] = [];
  /** The properties and items of the value that a schema spoke of, for `unevaluated…`. */
  readonly names: Set<string> = new Set();
  readonly items: Set<number> = new Set();

  get isValid(): boolean {
    return this.issues.length === 0;
  }

  wrong(path: string, message: string): this {
    this.issues.push(path === "" ? { message } : { path, message });
    return this;
  }

  /** Adds what was found in a part of the value. */
  addPart(part: Visit): void {
    for (const issue of part.issues) this.issues.push(issue);
  }

  /** Adds what another schema says about the same value. */
  add(other: Visit): void {
    this.addPart(other);
    for (const name of other.names) this.names.add(name);
    for (const index of other.items) this.items.add(index);
  }
}

/** Asks a whole schema about a value. */
export type Check = (value: unknown, path: string) => Visit;

/** Asks one keyword. */
export type Rule = (value: unknown, path: string, visit: Visit) => void;

/** Where a keyword stands, while its schema is compiled. */
export interface Place {
  /** The keywords beside it. */
  readonly schema: JsonSchema;
  /** Says that the keyword, or what lies in it under `keys`, is wrong. */
  readonly problem: (message: string, ...keys: PropertyKey[]) => undefined;
  /** The check of a schema in the keyword that looks at a part of the value. */
  readonly inside: (schema: unknown, ...keys: PropertyKey[]) => Check;
  /** The same for one that looks at the whole value. */
  readonly here: (schema: unknown, ...keys: PropertyKey[]) => Check;
  readonly resolve: (reference: string) => Schema | undefined;
  /** Whether a text at a path of the value matches, as far as it is known yet. */
  readonly matches: (pattern: Pattern, text: string, path: string) => boolean;
}

/** By keyword: its rule, if it has any, made from its value. */
export type Keywords = Readonly<Record<string, (value: unknown, place: Place) => Rule | undefined>>;

/** A limit on a count, which has to be one itself. */
export function countLimit(
  rule: (limit: number) => Rule,
): (value: unknown, place: Place) => Rule | undefined {
  return (value, place) =>
    Number.isInteger(value) && (value as number) >= 0
      ? rule(value as number)
      : place.problem("must be an integer of at least 0");
}

export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
