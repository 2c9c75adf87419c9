import { HawserError, textOf } from "../base/index.js";
import type { JsonSchema, StandardSchema } from "./standard-schema.js";

/** zod's own conversion, for the zod schemas that do not carry one. */
export type ZodConverter = (schema: unknown, options: object) => JsonSchema;

/** The JSON Schema of what goes into a schema. `where` names the schema in an error. */
export function toJsonSchema(
  schema: StandardSchema,
  where: string,
  zod?: ZodConverter,
): JsonSchema {
  const converter = schema["~standard"].jsonSchema;
  try {
    if (converter !== undefined) return converter.input({ target: "draft-07" });
    if (zod !== undefined) return zod(schema, { target: "draft-7", io: "input" });
  } catch (cause) {
    throw new HawserError(
      "invalid_options",
      `${where} cannot be described in JSON Schema: ${textOf(cause)}`,
      { hint: "Change the part that JSON Schema has no word for, or give JSON Schema.", cause },
    );
  }
  const vendor = schema["~standard"].vendor;
  throw new HawserError(
    "invalid_options",
    `${where} is a ${vendor} schema that gives no JSON Schema.`,
    {
      hint: HINTS.get(vendor) ?? "Use a schema that has Standard JSON Schema, or give JSON Schema.",
    },
  );
}

/** Whether only zod's own conversion can describe it: zod before 4.2, and zod/mini. */
export function needsZod(schema: StandardSchema): boolean {
  return schema["~standard"].jsonSchema === undefined && "_zod" in schema;
}

/** From the caller's zod, which is there, since a schema of it is. */
export async function loadZod(): Promise<ZodConverter> {
  // A name in a variable stays an import at run time: zod is no dependency, and is not bundled.
  const name = "zod/v4";
  try {
    const { toJSONSchema } = (await import(name)) as { readonly toJSONSchema: ZodConverter };
    return toJSONSchema;
  } catch (cause) {
    throw new HawserError("invalid_options", "zod cannot be loaded to describe a schema.", {
      hint: "Install zod 4.2 or later beside hawser; its schemas describe themselves.",
      cause,
    });
  }
}

/** A schema that stood at the root, moved to `place`: what points to the root now points there. */
export function rebaseReferences(schema: JsonSchema, place: string): JsonSchema {
  const { $schema: _, ...rest } = schema;
  return move(rest, place, false) as JsonSchema;
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["zod", 'Build it with zod 4; in zod 3.25 and later that is `import { z } from "zod/v4"`.'],
  ["valibot", "Wrap it in toStandardJsonSchema() of @valibot/to-json-schema."],
]);

/** These hold data or names of the author's, in which `$ref` is a word like any other. */
const DATA = new Set(["default", "const", "enum", "examples"]);
const NAMES = new Set(["properties", "patternProperties", "definitions", "$defs"]);

function move(value: unknown, place: string, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => move(item, place, false));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (isMap) return [key, move(inner, place, false)];
    if (DATA.has(key)) return [key, inner];
    if (key === "$ref" && typeof inner === "string" && inner.startsWith("#")) {
      return [key, place + inner.slice(1)];
    }
    return [key, move(inner, place, NAMES.has(key))];
  });
  return Object.fromEntries(entries);
}
