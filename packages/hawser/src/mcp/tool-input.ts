import { HawserError } from "../base/index.js";
import {
  isStandardSchema,
  type JsonSchema,
  needsZod,
  rebaseReferences,
  type StandardResult,
  type StandardSchema,
  toJsonSchema,
  type ZodConverter,
} from "../schema/index.js";
import type { ToolInputSchema } from "./infer-input.js";

/** How the input of a tool is described to the model, and how arguments are parsed. */
export interface ToolInput {
  /** Whether `describe` needs zod's conversion. */
  readonly needsZod: boolean;
  describe(zod?: ZodConverter): JsonSchema;
  parse(args: unknown): Promise<ParsedInput>;
}

export type ParsedInput = StandardResult<unknown>;
export type InputIssue = NonNullable<ParsedInput["issues"]>[number];

/** Accepts each form of `ToolInputSchema`. Throws `invalid_options` for anything else. */
export function readToolInput(schema: ToolInputSchema, where: string): ToolInput {
  if (isStandardSchema(schema)) return inputOfWhole(schema, where);
  if (typeof schema !== "object" || schema === null) throw notASchema(where);
  const entries = Object.entries(schema);
  const fields = entries.filter((entry): entry is [string, StandardSchema] =>
    isStandardSchema(entry[1]),
  );
  if (fields.length === entries.length) return inputOfFields(fields, where);
  if (fields.length > 0 || !isObjectSchema(schema)) throw notASchema(where);
  return inputOfJsonSchema(schema as JsonSchema);
}

/** An input that one Standard Schema describes as a whole. */
function inputOfWhole(schema: StandardSchema, where: string): ToolInput {
  return {
    needsZod: needsZod(schema),
    describe(zod) {
      const described = toJsonSchema(schema, where, zod);
      if (isObjectSchema(described)) return { type: "object", ...described };
      throw new HawserError("invalid_options", `${where} does not describe an object.`, {
        hint: "A tool takes an object of arguments: wrap the schema in an object schema.",
      });
    },
    parse: async (args) => schema["~standard"].validate(args),
  };
}

/**
 * An input that plain JSON Schema describes. The handler gets the arguments as the model gave them,
 * because `tool()` promises validation only for Standard Schemas.
 */
function inputOfJsonSchema(schema: JsonSchema): ToolInput {
  return {
    needsZod: false,
    describe: () => ({ type: "object", ...schema }),
    parse: async (args) => ({ value: args }),
  };
}

type Field = readonly [name: string, schema: StandardSchema];

/** An input with one Standard Schema for each argument. Arguments without a schema are dropped. */
function inputOfFields(fields: readonly Field[], where: string): ToolInput {
  return {
    needsZod: fields.some(([, schema]) => needsZod(schema)),
    describe: (zod) => describeFields(fields, where, zod),
    parse: (args) => parseFields(fields, args as Readonly<Record<string, unknown>>),
  };
}

function describeFields(fields: readonly Field[], where: string, zod?: ZodConverter): JsonSchema {
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  for (const [name, schema] of fields) {
    const described = toJsonSchema(schema, `${where}, argument "${name}",`, zod);
    properties.push([name, rebaseReferences(described, `#/properties/${escapePointer(name)}`)]);
    if (!isOptional(schema) && !("default" in described)) required.push(name);
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

async function parseFields(
  fields: readonly Field[],
  args: Readonly<Record<string, unknown>>,
): Promise<ParsedInput> {
  const value: [string, unknown][] = [];
  const issues: InputIssue[] = [];
  for (const [name, schema] of fields) {
    const present = Object.hasOwn(args, name);
    const result = await schema["~standard"].validate(present ? args[name] : undefined);
    if (result.issues === undefined) {
      if (present || result.value !== undefined) value.push([name, result.value]);
    } else if (present || !isOptional(schema)) {
      issues.push(...result.issues.map((issue) => ({ ...issue, ...withName(issue, name) })));
    }
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(value) };
}

/**
 * Copies `message` by name, because a library may define it as a getter, which a spread would lose.
 */
function withName({ message, path = [] }: InputIssue, name: string): InputIssue {
  return { path: [name, ...path], message };
}

/**
 * zod says whether an argument is optional. Other schemas are optional if they accept `undefined`.
 */
function isOptional(schema: StandardSchema): boolean {
  const zod = (schema as { readonly _zod?: { readonly optin?: unknown } })._zod;
  if (zod !== undefined) return zod.optin !== undefined;
  const result = schema["~standard"].validate(undefined);
  if (!(result instanceof Promise)) return result.issues === undefined;
  // The answer would come too late for `describe()`. Requiring too much does no harm.
  result.catch(() => {});
  return false;
}

/** A name as a part of a JSON pointer in a URI. */
function escapePointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/**
 * Adds `type: "object"` at the root, which MCP requires. A union or a reference has it elsewhere.
 */
function isObjectSchema(schema: object): boolean {
  if ("type" in schema) return schema.type === "object";
  return ["properties", "$ref", "anyOf", "oneOf", "allOf"].some((word) => word in schema);
}

function notASchema(where: string): HawserError {
  return new HawserError("invalid_options", `${where} is not a schema.`, {
    hint: 'Pass { name: schema, … }, a Standard Schema for an object, or a JSON Schema of type "object".',
  });
}
