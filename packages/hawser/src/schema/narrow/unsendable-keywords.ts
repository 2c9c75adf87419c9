import type { JsonSchema } from "../standard-schema.js";
import { isRecord, subschemasIn } from "../subschemas.js";

/**
 * The keywords of one schema that restrict a value but cannot be sent. A keyword whose meaning hangs
 * on another goes with it: without `patternProperties`, `additionalProperties` would refuse too much.
 */
export function unsendableKeywords(schema: JsonSchema): JsonSchema {
  const groups = GROUPS.filter(({ when }) => when(schema)).flatMap(({ keywords }) => keywords);
  const kept = groups.filter((keyword) => Object.hasOwn(schema, keyword));
  const withheld: Record<string, unknown> = Object.fromEntries(
    [...new Set(kept)].map((keyword) => [keyword, schema[keyword]]),
  );
  const odd = oddProperties(schema);
  if (odd.length > 0) withheld["properties"] = Object.fromEntries(odd);
  return withheld;
}

/** The API takes these only, and the CLI finds the names of Object.prototype in every object. */
export function isSendableName(name: string): boolean {
  return /^[a-zA-Z0-9_.-]{1,64}$/.test(name) && !(name in Object.prototype);
}

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
  // The CLI divides in binary, where 19.99 is no multiple of 0.01.
  { keywords: ["multipleOf"], when: ({ multipleOf }) => !Number.isInteger(multipleOf) },
  {
    // Neither way to describe single items is known to both the CLI and the API.
    keywords: ["prefixItems", "items", "additionalItems"],
    when: ({ prefixItems, items }) => prefixItems !== undefined || Array.isArray(items),
  },
  {
    keywords: ["contains", "minContains", "maxContains"],
    when: ({ minContains, maxContains }) => minContains !== undefined || maxContains !== undefined,
  },
  {
    keywords: ["patternProperties", "additionalProperties"],
    when: (schema) => hasHardPatterns(schema),
  },
  { keywords: ["additionalProperties"], when: (schema) => oddProperties(schema).length > 0 },
  // These turn around: a weaker schema within would refuse more.
  { keywords: ["not"], when: ({ not }) => !isExact(not) },
  {
    keywords: ["if", "then", "else"],
    when: ({ if: condition, then, else: otherwise }) =>
      !isExact(condition) || (then === undefined && otherwise === undefined),
  },
  // It is sent as `anyOf`, where there is no other.
  { keywords: ["oneOf"], when: ({ anyOf }) => anyOf !== undefined },
];

function oddProperties({ properties }: JsonSchema): readonly [string, unknown][] {
  return Object.entries(isRecord(properties) ? properties : {}).filter(
    ([name]) => !isSendableName(name),
  );
}

/** The CLI refuses a pattern that also fits a property with a schema of its own. */
function hasHardPatterns({ properties, patternProperties }: JsonSchema): boolean {
  const names = Object.keys(isRecord(properties) ? properties : {});
  const patterns = Object.keys(isRecord(patternProperties) ? patternProperties : {});
  return patterns.some(
    (pattern) =>
      !isUnicodeRegex(pattern) || names.some((name) => new RegExp(pattern, "u").test(name)),
  );
}

/** The only mode of the CLI. */
function isUnicodeRegex(source: unknown): boolean {
  try {
    return typeof source === "string" && new RegExp(source, "u") !== undefined;
  } catch {
    return false;
  }
}

/** Whether all of a schema can be sent; a reference may lead to what cannot. */
function isExact(value: unknown): boolean {
  if (!isRecord(value)) return typeof value === "boolean";
  if ("$ref" in value || "oneOf" in value) return false;
  if (Object.keys(unsendableKeywords(value)).length > 0) return false;
  // The two that turn around were looked into just now.
  const rest = Object.entries(value).filter(([keyword]) => keyword !== "not" && keyword !== "if");
  return rest.every(([keyword, each]) => subschemasIn(keyword, each).every(isExact));
}
