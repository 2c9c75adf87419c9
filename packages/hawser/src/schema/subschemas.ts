import { isObject } from "../base/index.js";
import type { JsonSchema } from "./standard-schema.js";

/** A JSON Schema. The schema `true` accepts every value, `false` accepts none. */
export type Schema = JsonSchema | boolean;

/** The keywords that contain subschemas: as their value, in an array, or by name in an object. */
const ONE: readonly string[] = [
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
];
const LIST: readonly string[] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const MAP: readonly string[] = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** The subschemas directly inside the value of a keyword. */
export function subschemasIn(keyword: string, value: unknown): readonly Schema[] {
  if (Array.isArray(value)) return LIST.includes(keyword) ? value.filter(isSchema) : [];
  if (MAP.includes(keyword) && isObject(value)) return Object.values(value).filter(isSchema);
  return ONE.includes(keyword) && isSchema(value) ? [value] : [];
}

/** The value of a keyword in which `change` has replaced each direct subschema. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: Schema) => Schema,
): unknown {
  const each = (item: unknown) => (isSchema(item) ? change(item) : item);
  if (Array.isArray(value)) return LIST.includes(keyword) ? value.map(each) : value;
  if (MAP.includes(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, each(item)]));
  }
  return ONE.includes(keyword) ? each(value) : value;
}

/**
 * A root schema that will be a subschema at `pointer`: its references to the root get that prefix.
 */
export function rebaseReferences(
  { $schema: _, ...schema }: JsonSchema,
  pointer: string,
): JsonSchema {
  return prefixReferences(schema, pointer);
}

function prefixReferences(schema: JsonSchema, pointer: string): JsonSchema {
  const prefix = (inner: Schema) => (isObject(inner) ? prefixReferences(inner, pointer) : inner);
  const entries = Object.entries(schema).map(([keyword, value]) => {
    const isReference = keyword === "$ref" && typeof value === "string" && value.startsWith("#");
    return [
      keyword,
      isReference ? pointer + value.slice(1) : mapSubschemas(keyword, value, prefix),
    ];
  });
  return Object.fromEntries(entries);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isObject(value);
}
