import type { Issue } from "../../base/index.js";
import type { JsonSchema } from "../standard-schema.js";
import type { Schema } from "../subschemas.js";
import type { Pattern } from "./pattern-matcher.js";

/** The outcome of checking one value by one schema. */
export class Evaluation {
  readonly issues: Issue[] = [];
  /**
   * The properties and items that a keyword has checked; the `unevaluated…` keywords check the
   * others.
   */
  readonly evaluatedNames: Set<string> = new Set();
  readonly evaluatedItems: Set<number> = new Set();

  get isValid(): boolean {
    return this.issues.length === 0;
  }

  addIssue(path: string, message: string): this {
    this.issues.push(path === "" ? { message } : { path, message });
    return this;
  }

  /** Adds the issues of a part of the value. */
  addIssuesOf(part: Evaluation): void {
    for (const issue of part.issues) this.issues.push(issue);
  }

  /** Adds the outcome of another schema for the same value. */
  merge(other: Evaluation): void {
    this.addIssuesOf(other);
    for (const name of other.evaluatedNames) this.evaluatedNames.add(name);
    for (const index of other.evaluatedItems) this.evaluatedItems.add(index);
  }
}

/** Checks a value by a whole schema. */
export type CheckSchema = (value: unknown, path: string) => Evaluation;

/** Checks a value by one keyword. */
export type KeywordRule = (value: unknown, path: string, evaluation: Evaluation) => void;

/** The surroundings of a keyword while its schema is compiled. */
export interface KeywordContext {
  /** The schema that contains the keyword. */
  readonly schema: JsonSchema;
  /** Reports that the value of the keyword, or the part of it at `keys`, is not valid. */
  readonly problem: (message: string, ...keys: PropertyKey[]) => undefined;
  /** Compiles a subschema that checks a part of the value, for example one item. */
  readonly checkPart: (schema: unknown, ...keys: PropertyKey[]) => CheckSchema;
  /** Compiles a subschema that checks the same value as the schema of this keyword. */
  readonly checkWhole: (schema: unknown, ...keys: PropertyKey[]) => CheckSchema;
  readonly resolve: (reference: string) => Schema | undefined;
  /** Whether the text at a path of the value matches. True as long as that is not known yet. */
  readonly matches: (pattern: Pattern, text: string, path: string) => boolean;
}

/** Keywords by name, each with the function that compiles its value into a rule. */
export type Keywords = Readonly<
  Record<string, (value: unknown, context: KeywordContext) => KeywordRule | undefined>
>;

/** Compiles a keyword whose value is a limit on a count, for example `minItems`. */
export function countLimit(
  rule: (limit: number) => KeywordRule,
): (value: unknown, context: KeywordContext) => KeywordRule | undefined {
  return (value, context) =>
    Number.isInteger(value) && (value as number) >= 0
      ? rule(value as number)
      : context.problem("must be an integer of at least 0");
}

export function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** JSON text for a message, cut off after `longest` characters. */
export function shortJson(value: unknown, longest = 200): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
