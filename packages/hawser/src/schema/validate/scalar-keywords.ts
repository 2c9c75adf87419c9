import { isObject } from "../../base/index.js";
import { canonicalJson } from "../canonical-json.js";
import { FORMATS } from "./formats.js";
import {
  countLimit,
  type KeywordContext,
  type KeywordRule,
  type Keywords,
  plural,
  shortJson,
} from "./keyword.js";
import { parsePattern } from "./pattern-matcher.js";

/**
 * Keywords that check the type, compare the value with fixed values, or check strings and numbers.
 */
export const SCALAR_KEYWORDS: Keywords = {
  type(value, context) {
    const types: unknown[] = Array.isArray(value) ? value : [value];
    if (types.length === 0 || !types.every(isType)) {
      return context.problem(`must be one of ${Object.keys(TYPES).join(", ")}, or several of them`);
    }
    // `nullable` comes from OpenAPI; the CLI knows it too.
    const allowed = context.schema["nullable"] === true ? [...types, "null"] : types;
    const names = [...new Set(allowed)].map((type) => TYPES[type as TypeName]);
    const must = `must be ${names.map(({ name }) => name).join(" or ")}`;
    return (given, path, evaluation) => {
      if (names.some(({ has }) => has(given))) return;
      evaluation.addIssue(path, `${must}, not ${typeNameOf(given)}`);
    };
  },
  enum(value, context) {
    if (!Array.isArray(value) || value.length === 0) {
      return context.problem("must be an array of at least one value");
    }
    const allowed = new Set(value.map(canonicalJson));
    const message = `must be one of ${value.map((each) => shortJson(each)).join(", ")}`;
    return (given, path, evaluation) => {
      if (!allowed.has(canonicalJson(given)))
        evaluation.addIssue(path, message.slice(0, MAX_MESSAGE_LENGTH));
    };
  },
  const(value) {
    const expected = canonicalJson(value);
    return (given, path, evaluation) => {
      if (canonicalJson(given) !== expected)
        evaluation.addIssue(path, `must be ${shortJson(value)}`);
    };
  },

  minLength: countLimit((limit) =>
    forStrings(
      (text) => lengthOf(text) >= limit,
      `must have at least ${plural(limit, "character")}`,
    ),
  ),
  maxLength: countLimit((limit) =>
    forStrings(
      (text) => lengthOf(text) <= limit,
      `must have at most ${plural(limit, "character")}`,
    ),
  ),
  pattern(value, context) {
    const pattern = typeof value === "string" ? parsePattern(value) : undefined;
    if (pattern === undefined) return context.problem("must be a regular expression");
    return (given, path, evaluation) => {
      if (typeof given !== "string" || context.matches(pattern, given, path)) return;
      evaluation.addIssue(path, `must match the pattern ${value}`);
    };
  },
  format(value, context) {
    if (typeof value !== "string") return context.problem("must be a string");
    const fits = FORMATS.get(value);
    if (fits === undefined) return undefined;
    return forStrings(fits, `must be of the format ${value}`);
  },

  minimum: numberLimit("at least", (given, least) => given >= least),
  maximum: numberLimit("at most", (given, most) => given <= most),
  exclusiveMinimum: numberLimit("greater than", (given, least) => given > least),
  exclusiveMaximum: numberLimit("less than", (given, most) => given < most),
  multipleOf(value, context) {
    if (!isNumber(value) || value <= 0) return context.problem("must be a number greater than 0");
    return forNumbers((given) => isMultiple(given, value), `must be a multiple of ${value}`);
  },
};

const MAX_MESSAGE_LENGTH = 500;

const TYPES = {
  null: { name: "null", has: (value: unknown) => value === null },
  boolean: { name: "a boolean", has: (value: unknown) => typeof value === "boolean" },
  integer: { name: "an integer", has: (value: unknown) => Number.isInteger(value) },
  number: { name: "a number", has: isNumber },
  string: { name: "a string", has: (value: unknown) => typeof value === "string" },
  array: { name: "an array", has: (value: unknown) => Array.isArray(value) },
  object: { name: "an object", has: isObject },
};
type TypeName = keyof typeof TYPES;

function isType(value: unknown): value is TypeName {
  return typeof value === "string" && Object.hasOwn(TYPES, value);
}

function typeNameOf(value: unknown): string {
  const type = Object.values(TYPES).find(({ has }) => has(value));
  return type === TYPES.integer ? TYPES.number.name : (type?.name ?? typeof value);
}

function forStrings(holds: (text: string) => boolean, message: string): KeywordRule {
  return (value, path, evaluation) => {
    if (typeof value === "string" && !holds(value)) evaluation.addIssue(path, message);
  };
}

function forNumbers(holds: (given: number) => boolean, message: string): KeywordRule {
  return (value, path, evaluation) => {
    if (isNumber(value) && !holds(value)) evaluation.addIssue(path, message);
  };
}

function numberLimit(
  words: string,
  holds: (given: number, limit: number) => boolean,
): (value: unknown, context: KeywordContext) => KeywordRule | undefined {
  return (value, context) => {
    if (!isNumber(value)) return context.problem("must be a number");
    return forNumbers((given) => holds(given, value), `must be ${words} ${value}`);
  };
}

/** The length in code points, as the standard counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** Tolerates rounding errors: 19.99 counts as a multiple of 0.01, although it is none in binary. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  const off = Math.abs(quotient - Math.round(quotient));
  return off <= Math.abs(quotient) * 4 * Number.EPSILON;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
