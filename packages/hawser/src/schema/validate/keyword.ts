import type { Issue } from "../../base/index.js";
import type { JsonSchema } from "../standard-schema.js";
import type { Schema } from "../subschemas.js";
import type { Pattern } from "./pattern-matcher.js";

/** What one schema says about one value. */
export class Evaluation {
  readonly issues: Issue[] = [];
  /** The properties and items of the value that a schema spoke of, for `unevaluated…`. */
  readonly evaluatedNames: Set<string> = new Set();
  readonly evaluatedItems: Set<number> = new Set();

  get isValid(): boolean {
    return this.issues.length === 0;
  }

  addIssue(path: string, message: string): this {
    this.issues.push(path === "" ? { message } : { path, message });
    return this;
  }

  /** Adds what was found in a part of the value. */
  addIssuesOf(part: Evaluation): void {
    for (const issue of part.issues) this.issues.push(issue);
  }

  /** Adds what another schema says about the same value. */
  merge(other: Evaluation): void {
    this.addIssuesOf(other);
    for (const name of other.evaluatedNames) this.evaluatedNames.add(name);
    for (const index of other.evaluatedItems) this.evaluatedItems.add(index);
  }
}

/** Asks a whole schema about a value. */
export type CheckSchema = (value: unknown, path: string) => Evaluation;

/** Asks one keyword. */
export type KeywordRule = (value: unknown, path: string, visit: Evaluation) => void;

/** Where a keyword stands, while its schema is compiled. */
export interface KeywordContext {
  /** The keywords beside it. */
  readonly schema: JsonSchema;
  /** Says that the keyword, or what lies in it under `keys`, is wrong. */
  readonly problem: (message: string, ...keys: PropertyKey[]) => undefined;
  /** The check of a schema in the keyword that looks at a part of the value. */
  readonly checkPart: (schema: unknown, ...keys: PropertyKey[]) => CheckSchema;
  /** The same for one that looks at the whole value. */
  readonly checkWhole: (schema: unknown, ...keys: PropertyKey[]) => CheckSchema;
  readonly resolve: (reference: string) => Schema | undefined;
  /** Whether a text at a path of the value matches, as far as it is known yet. */
  readonly matches: (pattern: Pattern, text: string, path: string) => boolean;
}

/** By keyword: its rule, if it has any, made from its value. */
export type Keywords = Readonly<
  Record<string, (value: unknown, place: KeywordContext) => KeywordRule | undefined>
>;

/** A limit on a count, which has to be one itself. */
export function countLimit(
  rule: (limit: number) => KeywordRule,
): (value: unknown, place: KeywordContext) => KeywordRule | undefined {
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
