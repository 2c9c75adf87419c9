import { isObject } from "../../base/index.js";
import { isSchema, type JsonSchema, SchemaDocument } from "../../schema/index.js";

/** A value that fits a JSON Schema, good enough for a simulated model. */
export function sampleValue(schema: unknown): unknown {
  return isSchema(schema) ? sampleInDocument(new SchemaDocument(schema), schema, 0) : null;
}

function sampleInDocument(document: SchemaDocument, schema: unknown, depth: number): unknown {
  if (!isObject(schema) || depth > DEEPEST) return null;
  const { $ref, const: fixed, enum: choices, default: usual, examples } = schema;
  if (typeof $ref === "string") {
    return sampleInDocument(document, document.resolve($ref, schema), depth + 1);
  }
  if (fixed !== undefined) return fixed;
  for (const list of [choices, examples])
    if (Array.isArray(list) && list.length > 0) return list[0];
  if (usual !== undefined) return usual;
  for (const key of ["anyOf", "oneOf"] as const) {
    const choice = schema[key];
    if (Array.isArray(choice)) return sampleInDocument(document, choice[0], depth + 1);
  }
  if (Array.isArray(schema["allOf"])) {
    return sampleInDocument(document, merged(schema["allOf"]), depth + 1);
  }
  return ofType(document, schema, depth);
}

const DEEPEST = 12;

function ofType(document: SchemaDocument, schema: JsonSchema, depth: number): unknown {
  const { type, properties, items, minItems, minimum, exclusiveMinimum, maximum } = schema;
  switch (Array.isArray(type) ? type[0] : (type ?? (properties ? "object" : "string"))) {
    case "object": {
      const all = Object.entries(isObject(properties) ? properties : {});
      return Object.fromEntries(
        all.map(([name, of]) => [name, sampleInDocument(document, of, depth + 1)]),
      );
    }
    case "array":
      return Array.from({ length: Math.max(1, numberOr(minItems, 1)) }, () =>
        sampleInDocument(document, items ?? {}, depth + 1),
      );
    case "number":
    case "integer": {
      const lowest = numberOr(minimum, numberOr(exclusiveMinimum, -1) + 1);
      return Math.min(Math.max(1, lowest), numberOr(maximum, Number.POSITIVE_INFINITY));
    }
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return textFor(schema);
  }
}

function textFor({ format, minLength, maxLength }: JsonSchema): string {
  const text = FORMATS[String(format)] ?? "sample";
  return text.padEnd(numberOr(minLength, 0), ".").slice(0, numberOr(maxLength, LONGEST));
}

const LONGEST = 10_000;

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  email: "someone@example.com",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function merged(schemas: readonly unknown[]): JsonSchema {
  const all = schemas.filter(isObject);
  const properties = Object.assign({}, ...all.map((each) => each["properties"]));
  return Object.assign({}, ...all, { properties });
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
