import { isObject, type Kind, kind, type Problem } from "../base/index.js";

/**
 * A JSON Schema. Only the shapes of the keywords are checked, not every rule of the standard. The
 * check is needed because the CLI silently drops an invalid schema and answers in free text.
 */
export const jsonSchemaKind: Kind = {
  name: "json",
  *problems(value, path) {
    const before = [...kind.json.problems(value, path)];
    if (before.length > 0) yield* before;
    else yield* schemaProblems(value, path);
  },
};

function* schemaProblems(schema: unknown, path: string): Iterable<Problem> {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) return yield { path, message: "must be a JSON Schema", hint: HINT };
  for (const [keyword, value] of Object.entries(schema)) {
    const check = KEYWORDS.get(keyword);
    if (check !== undefined && value !== undefined) yield* check(value, kind.at(path, keyword));
  }
}

type Check = (value: unknown, path: string) => Iterable<Problem>;

const HINT = "Pass plain JSON Schema, not the object that wraps it.";
const TYPES = ["null", "boolean", "object", "array", "number", "string", "integer"];

const isType = (value: unknown): boolean => TYPES.includes(value as string);
const isTypes = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value);
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const KEYWORDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["type", must("a type of JSON Schema", isTypes)],
  ["required", must("an array of names", isNames)],
  ["enum", must("an array", Array.isArray)],
  ["$ref", must("a string", (value) => typeof value === "string")],
  ["pattern", must("a string", (value) => typeof value === "string")],
  ...["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"].map(
    (keyword) => [keyword, eachValue] as const,
  ),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((keyword) => [keyword, eachItem] as const),
  ...["not", "if", "then", "else", "additionalProperties", "contains", "propertyNames"].map(
    (keyword) => [keyword, schemaProblems] as const,
  ),
  ["items", (value, path) => (Array.isArray(value) ? eachItem : schemaProblems)(value, path)],
]);

function must(what: string, holds: (value: unknown) => boolean): Check {
  return function* (value, path) {
    if (!holds(value)) yield { path, message: `must be ${what}` };
  };
}

function* eachValue(value: unknown, path: string): Iterable<Problem> {
  if (!isObject(value)) return yield { path, message: "must be an object of schemas" };
  for (const [key, each] of Object.entries(value)) yield* schemaProblems(each, kind.at(path, key));
}

function* eachItem(value: unknown, path: string): Iterable<Problem> {
  if (!Array.isArray(value)) return yield { path, message: "must be an array of schemas" };
  for (const [i, each] of value.entries()) yield* schemaProblems(each, `${path}[${i}]`);
}
