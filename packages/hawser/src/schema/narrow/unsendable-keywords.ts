import { isObject } from "../../base/index.js";
import type { JsonSchema } from "../standard-schema.js";
import { subschemasIn } from "../subschemas.js";

/**
 * The keywords of one schema that restrict a value but cannot be sent to the CLI. Keywords that
 * depend on each other are held back together: without `patternProperties`, `additionalProperties`
 * would refuse too much.
 */
export function unsendableKeywords(schema: JsonSchema): JsonSchema {
  const groups = GROUPS.filter(({ when }) => when(schema)).flatMap(({ keywords }) => keywords);
  const present = groups.filter((keyword) => Object.hasOwn(schema, keyword));
  const unsendable: Record<string, unknown> = Object.fromEntries(
    [...new Set(present)].map((keyword) => [keyword, schema[keyword]]),
  );
  const properties = unsendableProperties(schema);
  if (properties.length > 0) unsendable["properties"] = Object.fromEntries(properties);
  return unsendable;
}

/**
 * The API accepts only these names, and the CLI finds the names of Object.prototype in every
 * object.
 */
export function isSendableName(name: string): boolean {
  return /^[a-zA-Z0-9_.-]{1,64}$/.test(name) && !(name in Object.prototype);
}

/** Keywords that are held back together under a condition. */
interface Group {
  readonly keywords: readonly string[];
  readonly when: (schema: JsonSchema) => boolean;
}

const always = (): boolean => true;

const GROUPS: readonly Group[] = [
  { keywords: ["format"], when: always },
  { keywords: ["dependencies"], when: always },
  { keywords: ["dependentRequired"], when: always },
  { keywords: ["dependentSchemas"], when: always },
  { keywords: ["unevaluatedItems"], when: always },
  { keywords: ["unevaluatedProperties"], when: always },
  { keywords: ["pattern"], when: ({ pattern }) => !isUnicodeRegex(pattern) },
  // The CLI divides binary numbers, so that 19.99 is no multiple of 0.01 for it.
  { keywords: ["multipleOf"], when: ({ multipleOf }) => !Number.isInteger(multipleOf) },
  {
    // Draft-07 of the CLI has the array form of `items`, 2020-12 of the API has `prefixItems`.
    keywords: ["prefixItems", "items", "additionalItems"],
    when: ({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items),
  },
  {
    keywords: ["contains", "minContains", "maxContains"],
    when: ({ minContains, maxContains }) => minContains !== undefined || maxContains !== undefined,
  },
  {
    keywords: ["patternProperties", "additionalProperties"],
    when: (schema) => hasUnsendablePatterns(schema),
  },
  { keywords: ["additionalProperties"], when: (schema) => unsendableProperties(schema).length > 0 },
  // A weaker schema under `not` or `if` would make the whole stricter, so these are sent only if
  // exact.
  { keywords: ["not"], when: ({ not }) => !isExact(not) },
  {
    keywords: ["if", "then", "else"],
    when: ({ if: condition, then, else: otherwise }) =>
      !isExact(condition) || (then === undefined && otherwise === undefined),
  },
  // `oneOf` is sent as `anyOf`, which is impossible beside an `anyOf` of the author.
  { keywords: ["oneOf"], when: ({ anyOf }) => anyOf !== undefined },
];

function unsendableProperties({ properties }: JsonSchema): readonly [string, unknown][] {
  return Object.entries(isObject(properties) ? properties : {}).filter(
    ([name]) => !isSendableName(name),
  );
}

/** The CLI refuses a pattern that also matches the name of a property in `properties`. */
function hasUnsendablePatterns({ properties, patternProperties }: JsonSchema): boolean {
  const names = Object.keys(isObject(properties) ? properties : {});
  const patterns = Object.keys(isObject(patternProperties) ? patternProperties : {});
  return patterns.some(
    (pattern) =>
      !isUnicodeRegex(pattern) || names.some((name) => new RegExp(pattern, "u").test(name)),
  );
}

/** The CLI compiles patterns only with the `u` flag. */
function isUnicodeRegex(source: unknown): boolean {
  try {
    return typeof source === "string" && new RegExp(source, "u") !== undefined;
  } catch {
    return false;
  }
}

/** Whether the whole schema can be sent. A reference may lead to a schema that cannot. */
function isExact(value: unknown): boolean {
  if (!isObject(value)) return typeof value === "boolean";
  if ("$ref" in value || "oneOf" in value) return false;
  if (Object.keys(unsendableKeywords(value)).length > 0) return false;
  // `unsendableKeywords()` has checked `not` and `if` already.
  const rest = Object.entries(value).filter(([keyword]) => keyword !== "not" && keyword !== "if");
  return rest.every(([keyword, each]) => subschemasIn(keyword, each).every(isExact));
}
