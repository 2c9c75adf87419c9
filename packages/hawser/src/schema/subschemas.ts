import type { JsonSchema } from "./standard-schema.js";

/** Any schema: `true` takes everything, `false` nothing. */
export type Schema = JsonSchema | boolean;

/** The keywords whose values are schemas, and how they hold them. */
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

/** The schemas that stand directly in the value of a keyword. */
export function subschemasIn(keyword: string, value: unknown): readonly Schema[] {
  if (Array.isArray(value)) return LIST.includes(keyword) ? value.filter(isSchema) : [];
  if (MAP.includes(keyword) && isRecord(value)) return Object.values(value).filter(isSchema);
  return ONE.includes(keyword) && isSchema(value) ? [value] : [];
}

/** The value of a keyword with `change` done to each schema in it; all else stays. */
export function mapSubschemas(
  keyword: string,
  value: unknown,
  change: (schema: Schema) => Schema,
): unknown {
  const each = (item: unknown) => (isSchema(item) ? change(item) : item);
  if (Array.isArray(value)) return LIST.includes(keyword) ? value.map(each) : value;
  if (MAP.includes(keyword) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, each(item)]));
  }
  return ONE.includes(keyword) ? each(value) : value;
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isRecord(value);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
