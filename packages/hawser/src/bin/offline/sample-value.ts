import { isObject } from "../../base/index.js";

/** A value that fits a JSON Schema, good enough for a simulated model. */
export function sampleValue(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isObject(schema) || depth > DEEPEST) return null;
  const { $ref, const: fixed, enum: choices, default: usual, examples } = schema;
  if (typeof $ref === "string") return sampleValue(resolve($ref, root), root, depth + 1);
  if (fixed !== undefined) return fixed;
  for (const list of [choices, examples])
    if (Array.isArray(list) && list.length > 0) return list[0];
  if (usual !== undefined) return usual;
  for (const key of ["anyOf", "oneOf"] as const) {
    const choice = schema[key];
    if (Array.isArray(choice)) return sampleValue(choice[0], root, depth + 1);
  }
  if (Array.isArray(schema["allOf"])) return sampleValue(merged(schema["allOf"]), root, depth + 1);
  return ofType(schema, root, depth);
}

const DEEPEST = 12;

type Schema = Readonly<Record<string, unknown>>;

function ofType(schema: Schema, root: unknown, depth: number): unknown {
  const { type, properties, items, minItems, minimum, exclusiveMinimum, maximum } = schema;
  switch (Array.isArray(type) ? type[0] : (type ?? (properties ? "object" : "string"))) {
    case "object": {
      const all = Object.entries(isObject(properties) ? properties : {});
      return Object.fromEntries(all.map(([name, of]) => [name, sampleValue(of, root, depth + 1)]));
    }
    case "array":
      return Array.from({ length: Math.max(1, numberOr(minItems, 1)) }, () =>
        sampleValue(items ?? {}, root, depth + 1),
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

function textFor({ format, minLength, maxLength }: Schema): string {
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

function resolve(ref: string, root: unknown): unknown {
  const path = ref.split("/").slice(1);
  return path.reduce<unknown>((at, part) => (isObject(at) ? at[part] : undefined), root);
}

function merged(schemas: readonly unknown[]): Schema {
  const all = schemas.filter(isObject);
  const properties = Object.assign({}, ...all.map((each) => each["properties"]));
  return Object.assign({}, ...all, { properties });
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
