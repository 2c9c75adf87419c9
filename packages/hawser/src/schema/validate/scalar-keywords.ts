import { canonicalJson, shortJson } from "../canonical-json.js";
import { isRecord } from "../subschemas.js";
import { FORMATS } from "./formats.js";
import {
  countLimit,
  type KeywordContext,
  type KeywordRule,
  type Keywords,
  plural,
} from "./keyword.js";
import { parsePattern } from "./pattern-matcher.js";

/** What asks for a type, for a certain value, or looks into a string or number. */
export const SCALAR_KEYWORDS: Keywords = {
  type(value, place) {
    const types: unknown[] = Array.isArray(value) ? value : [value];
    if (types.length === 0 || !types.every(isType)) {
      return place.problem(`must be one of ${Object.keys(TYPES).join(", ")}, or several of them`);
    }
    // OpenAPI's word, which the CLI takes too.
    const allowed = place.schema["nullable"] === true ? [...types, "null"] : types;
    const names = [...new Set(allowed)].map((type) => TYPES[type as TypeName]);
    const must = `must be ${names.map(({ name }) => name).join(" or ")}`;
    return (given, path, visit) => {
      if (names.some(({ has }) => has(given))) return;
      visit.addIssue(path, `${must}, not ${nameOf(given)}`);
    };
  },
  enum(value, place) {
    if (!Array.isArray(value) || value.length === 0) {
      return place.problem("must be an array of at least one value");
    }
    const allowed = new Set(value.map(canonicalJson));
    const message = `must be one of ${value.map((each) => shortJson(each)).join(", ")}`;
    return (given, path, visit) => {
      if (!allowed.has(canonicalJson(given))) visit.addIssue(path, message.slice(0, LONGEST));
    };
  },
  const(value) {
    const expected = canonicalJson(value);
    return (given, path, visit) => {
      if (canonicalJson(given) !== expected) visit.addIssue(path, `must be ${shortJson(value)}`);
    };
  },

  minLength: countLimit((limit) =>
    string((text) => lengthOf(text) >= limit, `must have at least ${plural(limit, "character")}`),
  ),
  maxLength: countLimit((limit) =>
    string((text) => lengthOf(text) <= limit, `must have at most ${plural(limit, "character")}`),
  ),
  pattern(value, place) {
    const pattern = typeof value === "string" ? parsePattern(value) : undefined;
    if (pattern === undefined) return place.problem("must be a regular expression");
    return (given, path, visit) => {
      if (typeof given !== "string" || place.matches(pattern, given, path)) return;
      visit.addIssue(path, `must match the pattern ${value}`);
    };
  },
  format(value, place) {
    if (typeof value !== "string") return place.problem("must be a string");
    const fits = FORMATS.get(value);
    if (fits === undefined) return undefined;
    return string(fits, `must be of the format ${value}`);
  },

  minimum: limit("at least", (given, least) => given >= least),
  maximum: limit("at most", (given, most) => given <= most),
  exclusiveMinimum: limit("greater than", (given, least) => given > least),
  exclusiveMaximum: limit("less than", (given, most) => given < most),
  multipleOf(value, place) {
    if (!isNumber(value) || value <= 0) return place.problem("must be a number greater than 0");
    return number((given) => isMultiple(given, value), `must be a multiple of ${value}`);
  },
};

const LONGEST = 500;

const TYPES = {
  null: { name: "null", has: (value: unknown) => value === null },
  boolean: { name: "a boolean", has: (value: unknown) => typeof value === "boolean" },
  integer: { name: "an integer", has: (value: unknown) => Number.isInteger(value) },
  number: { name: "a number", has: isNumber },
  string: { name: "a string", has: (value: unknown) => typeof value === "string" },
  array: { name: "an array", has: (value: unknown) => Array.isArray(value) },
  object: { name: "an object", has: isRecord },
};
type TypeName = keyof typeof TYPES;

function isType(value: unknown): value is TypeName {
  return typeof value === "string" && Object.hasOwn(TYPES, value);
}

function nameOf(value: unknown): string {
  const type = Object.values(TYPES).find(({ has }) => has(value));
  return type === TYPES.integer ? TYPES.number.name : (type?.name ?? typeof value);
}

function string(holds: (text: string) => boolean, message: string): KeywordRule {
  return (value, path, visit) => {
    if (typeof value === "string" && !holds(value)) visit.addIssue(path, message);
  };
}

function number(holds: (given: number) => boolean, message: string): KeywordRule {
  return (value, path, visit) => {
    if (isNumber(value) && !holds(value)) visit.addIssue(path, message);
  };
}

function limit(
  words: string,
  holds: (given: number, limit: number) => boolean,
): (value: unknown, place: KeywordContext) => KeywordRule | undefined {
  return (value, place) => {
    if (!isNumber(value)) return place.problem("must be a number");
    return number((given) => holds(given, value), `must be ${words} ${value}`);
  };
}

/** In code points, as the standard counts. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/** As people count: 19.99 is a multiple of 0.01, although not in binary. */
function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  const off = Math.abs(quotient - Math.round(quotient));
  return off <= Math.abs(quotient) * 4 * Number.EPSILON;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
