import type { JsonSchema, StandardSchema } from "../options/index.js";
import { needsZod, rebaseReferences, toJsonSchema, type ZodConverter } from "../schema/index.js";
import type { InputIssue, ParsedInput, ToolInput } from "./tool-input.js";

type Field = readonly [name: string, schema: StandardSchema];

/** Arguments that are described one by one; an argument that is not among them is dropped. */
export function shapeInput(fields: readonly Field[], where: string): ToolInput {
  return {
    needsZod: fields.some(([, schema]) => needsZod(schema)),
    describe: (zod) => describe(fields, where, zod),
    parse: (args) => parse(fields, args as Readonly<Record<string, unknown>>),
  };
}

function describe(fields: readonly Field[], where: string, zod?: ZodConverter): JsonSchema {
  const properties: [string, JsonSchema][] = [];
  const required: string[] = [];
  for (const [name, schema] of fields) {
    const described = toJsonSchema(schema, `${where}, argument "${name}",`, zod);
    properties.push([name, rebaseReferences(described, `#/properties/${pointer(name)}`)]);
    if (!mayBeAbsent(schema) && !("default" in described)) required.push(name);
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

async function parse(
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
    } else if (present || !mayBeAbsent(schema)) {
      issues.push(...result.issues.map((issue) => ({ ...issue, ...facts(issue, name) })));
    }
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(value) };
}

/** Named, since a library may keep its message in a getter, which a copy would lose. */
function facts({ message, path = [] }: InputIssue, name: string): InputIssue {
  return { path: [name, ...path], message };
}

/** zod tells it; of other schemas it is known by what they say to a value that is not there. */
function mayBeAbsent(schema: StandardSchema): boolean {
  const zod = (schema as { readonly _zod?: { readonly optin?: unknown } })._zod;
  if (zod !== undefined) return zod.optin !== undefined;
  const result = schema["~standard"].validate(undefined);
  if (!(result instanceof Promise)) return result.issues === undefined;
  // It would be known too late for a description; what is required too much harms nobody.
  result.catch(() => {});
  return false;
}

/** A name within a JSON pointer. */
function pointer(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
