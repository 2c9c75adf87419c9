import { HawserError } from "../base/index.js";
import type { JsonSchema, StandardResult, StandardSchema } from "../options/index.js";
import { needsZod, toJsonSchema, type ZodConverter } from "../schema/index.js";
import type { ToolInputSchema } from "./infer-input.js";
import { shapeInput } from "./shape-input.js";

/** How a tool's input is described to the model, and how arguments are read. */
export interface ToolInput {
  /** Whether `describe` needs zod's conversion. */
  readonly needsZod: boolean;
  describe(zod?: ZodConverter): JsonSchema;
  parse(args: unknown): Promise<ParsedInput>;
}

export type ParsedInput = StandardResult<unknown>;
export type InputIssue = NonNullable<ParsedInput["issues"]>[number];

/** Reads each way to describe an input; throws `invalid_options` for what is none. */
export function readToolInput(schema: ToolInputSchema, where: string): ToolInput {
  if (isSchema(schema)) return wholeInput(schema, where);
  if (typeof schema !== "object" || schema === null) throw unknownInput(where);
  const entries = Object.entries(schema);
  const fields = entries.filter((entry): entry is [string, StandardSchema] => isSchema(entry[1]));
  if (fields.length === entries.length) return shapeInput(fields, where);
  if (fields.length > 0 || !isObjectSchema(schema)) throw unknownInput(where);
  return jsonInput(schema as JsonSchema);
}

/** One schema of all arguments; arktype's are functions. */
function wholeInput(schema: StandardSchema, where: string): ToolInput {
  return {
    needsZod: needsZod(schema),
    describe(zod) {
      const described = toJsonSchema(schema, where, zod);
      if (isObjectSchema(described)) return { type: "object", ...described };
      throw new HawserError("invalid_options", `${where} does not describe an object.`, {
        hint: "The input of a tool is an object of arguments; wrap the schema in one.",
      });
    },
    parse: async (args) => schema["~standard"].validate(args),
  };
}

/** Nothing here can validate by JSON Schema, so the model's arguments are passed on. */
function jsonInput(schema: JsonSchema): ToolInput {
  return {
    needsZod: false,
    describe: () => ({ type: "object", ...schema }),
    parse: async (args) => ({ value: args }),
  };
}

function isSchema(value: unknown): value is StandardSchema {
  const canHold = typeof value === "object" || typeof value === "function";
  return canHold && value !== null && "~standard" in value;
}

/** MCP wants `type: "object"` at the root; a union of objects or a reference says it elsewhere. */
function isObjectSchema(schema: object): boolean {
  if ("type" in schema) return schema.type === "object";
  return ["properties", "$ref", "anyOf", "oneOf", "allOf"].some((word) => word in schema);
}

function unknownInput(where: string): HawserError {
  return new HawserError("invalid_options", `${where} is not a schema.`, {
    hint: 'Give { name: schema, … }, one Standard Schema of an object, or JSON Schema of type "object".',
  });
}
