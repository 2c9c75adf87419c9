import { HawserError, textOf } from "../base/index.js";
import type { JsonSchema, StandardSchema } from "./standard-schema.js";

/** zod's own conversion, for zod schemas that implement no Standard JSON Schema. */
export type ZodConverter = (schema: unknown, options: object) => JsonSchema;

/** The JSON Schema of the input of a Standard Schema. `where` names the schema in an error. */
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
      { hint: "Change the part that JSON Schema cannot express, or pass a JSON Schema.", cause },
    );
  }
  const vendor = schema["~standard"].vendor;
  throw new HawserError(
    "invalid_options",
    `${where} is a ${vendor} schema that cannot be converted to JSON Schema.`,
    {
      hint: HINTS.get(vendor) ?? "Use a schema with Standard JSON Schema, or pass a JSON Schema.",
    },
  );
}

/** Whether the conversion needs `loadZod()`: true for zod before 4.2 and for zod/mini. */
export function needsZod(schema: StandardSchema): boolean {
  return schema["~standard"].jsonSchema === undefined && "_zod" in schema;
}

/**
 * Loads the conversion from the caller's zod, which is installed because the caller passed its
 * schema.
 */
export async function loadZod(): Promise<ZodConverter> {
  // The name is in a variable so that the bundler leaves the import alone: zod is no dependency.
  const name = "zod/v4";
  try {
    const { toJSONSchema } = (await import(name)) as { readonly toJSONSchema: ZodConverter };
    return toJSONSchema;
  } catch (cause) {
    throw new HawserError("invalid_options", "zod could not be loaded to convert a schema.", {
      hint: "Install zod 4.2 or later, whose schemas convert themselves to JSON Schema.",
      cause,
    });
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["zod", 'Build it with zod 4; in zod 3.25 and later that is `import { z } from "zod/v4"`.'],
  ["valibot", "Wrap it in toStandardJsonSchema() of @valibot/to-json-schema."],
]);
