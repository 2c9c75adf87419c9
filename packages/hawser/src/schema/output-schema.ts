import { HawserError, type Issue, isObject, textOf } from "../base/index.js";
import { narrowSchema } from "./narrow/narrow-schema.js";
import { SchemaDocument } from "./schema-document.js";
import { isStandardSchema, type JsonSchema, type StandardSchema } from "./standard-schema.js";
import type { Schema } from "./subschemas.js";
import { loadZod, needsZod, toJsonSchema } from "./to-json-schema.js";
import { compileSchema } from "./validate/compile-schema.js";
import { pathFromKeys, WRAPPER_PROPERTY } from "./value-path.js";

/** A schema for the answer of a model: what the CLI is sent, and how the answer is parsed. */
export interface OutputSchema {
  /**
   * The JSON Schema for the CLI, which shows it to the model as the input of the StructuredOutput
   * tool.
   */
  readonly sent: JsonSchema;
  /** Whether `sent` wraps the value into the property `value` of an object. */
  readonly isWrapped: boolean;
  /**
   * Checks the CLI's `structured_output` by the whole schema, also by the parts that were not sent.
   */
  parse(output: unknown): Promise<ParsedOutput>;
}

export type ParsedOutput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** Throws `invalid_options` for a schema that cannot be used. */
export async function compileOutputSchema(
  schema: StandardSchema | JsonSchema,
): Promise<OutputSchema> {
  const standard = isStandardSchema(schema) ? schema : undefined;
  const described = standard === undefined ? (schema as JsonSchema) : await describe(standard);
  try {
    const document = new SchemaDocument(copyAsJson(described));
    const parseValue =
      standard === undefined ? parseByJsonSchema(document) : parseByStandardSchema(standard);
    const { sent, isWrapped } = narrowSchema(document);
    return {
      sent,
      isWrapped,
      async parse(output) {
        if (!isWrapped) return parseValue(output);
        if (isObject(output) && Object.hasOwn(output, WRAPPER_PROPERTY))
          return parseValue(output[WRAPPER_PROPERTY]);
        return { issues: [{ message: "is missing" }] };
      },
    };
  } catch (error) {
    if (error instanceof RangeError) throw unusableSchema([{ message: "is nested too deeply" }]);
    throw error;
  }
}

type ParseValue = (value: unknown) => Promise<ParsedOutput>;

async function describe(schema: StandardSchema): Promise<JsonSchema> {
  return toJsonSchema(schema, "`schema`", needsZod(schema) ? await loadZod() : undefined);
}

/**
 * A copy as it will be on the wire, so that later changes of the caller's object have no effect.
 */
function copyAsJson(schema: unknown): Schema {
  if (typeof schema === "boolean") return schema;
  const inner = Object.entries(schema ?? {}).find(([, value]) => isStandardSchema(value));
  if (inner !== undefined) {
    const message = "is itself a schema: wrap the fields, as with z.object({ … })";
    throw unusableSchema([{ path: `schema.${inner[0]}`, message }]);
  }
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema) ?? "null");
    if (isObject(copy)) return copy;
  } catch (cause) {
    throw unusableSchema([{ message: `must be JSON data: ${textOf(cause).split("\n", 1)[0]}` }]);
  }
  throw unusableSchema([
    {
      message:
        'must be a Standard Schema, for example of zod, or a JSON Schema such as { type: "object" }',
    },
  ]);
}

/** Returns the value as the model gave it: converts nothing and fills in no default. */
function parseByJsonSchema(document: SchemaDocument): ParseValue {
  const compiled = compileSchema(document);
  if ("problems" in compiled) throw unusableSchema(compiled.problems);
  return async (value) => {
    const issues = await compiled.validate(value);
    return issues.length === 0 ? { value } : { issues };
  };
}

/** An error that the schema throws, mostly in a transform, counts as an issue of the value. */
function parseByStandardSchema(schema: StandardSchema): ParseValue {
  return async (value) => {
    try {
      const result = await schema["~standard"].validate(value);
      if (result.issues === undefined) return { value: result.value };
      return {
        issues: result.issues.map(({ path, message }) => issue(pathFromKeys(path), message)),
      };
    } catch (error) {
      return { issues: [{ message: `cannot be read: ${textOf(error)}` }] };
    }
  };
}

function issue(path: string, message: string): Issue {
  return path === "" ? { message } : { path, message };
}

function unusableSchema(problems: readonly Issue[]): HawserError {
  const [first] = problems;
  const place = first?.path === undefined ? "`schema`" : `\`${first.path}\``;
  return new HawserError("invalid_options", `${place} ${first?.message}.`, {
    hint: "Correct the schema. The CLI would ignore it silently and answer in free text.",
    issues: problems.map(({ path = "schema", message }) => ({ path, message })),
  });
}
