import { HawserError, type Issue, textOf } from "../base/index.js";
import { narrowSchema, WRAPPER } from "./narrow/narrow-schema.js";
import { SchemaDocument } from "./schema-document.js";
import type { JsonSchema, StandardSchema } from "./standard-schema.js";
import { isRecord, type Schema } from "./subschemas.js";
import { loadZod, needsZod, toJsonSchema } from "./to-json-schema.js";
import { compileSchema } from "./validate/compile-schema.js";
import { pathFromKeys } from "./value-path.js";

/** A value that is owed: how the model is told what it looks like, and how it is read. */
export interface OutputSchema {
  /** What the CLI gets, checks, and shows to the model as the input of StructuredOutput. */
  readonly sent: JsonSchema;
  /** Whether the value is in the property `value` of what the model gives. */
  readonly isWrapped: boolean;
  /** Reads the CLI's `structured_output`; checks all of the schema, also what was not sent. */
  parse(output: unknown): Promise<ParsedOutput>;
}

export type ParsedOutput =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** Throws `invalid_options` for a schema that cannot be used, before anything is started. */
export async function compileOutputSchema(
  schema: StandardSchema | JsonSchema,
): Promise<OutputSchema> {
  const standard = isStandard(schema) ? schema : undefined;
  const described = standard === undefined ? (schema as JsonSchema) : await describe(standard);
  try {
    const document = new SchemaDocument(plainCopy(described));
    const check = standard === undefined ? jsonReader(document) : standardReader(standard);
    const { sent, isWrapped } = narrowSchema(document);
    return {
      sent,
      isWrapped,
      async parse(output) {
        if (!isWrapped) return check(output);
        if (isRecord(output) && Object.hasOwn(output, WRAPPER)) return check(output[WRAPPER]);
        return { issues: [{ message: "is missing" }] };
      },
    };
  } catch (error) {
    if (error instanceof RangeError) throw unusable([{ message: "is nested too deeply" }]);
    throw error;
  }
}

type Reader = (value: unknown) => Promise<ParsedOutput>;

/** Arktype's schemas are functions. */
function isStandard(schema: unknown): schema is StandardSchema {
  const canHold = typeof schema === "object" || typeof schema === "function";
  return canHold && schema !== null && "~standard" in schema;
}

async function describe(schema: StandardSchema): Promise<JsonSchema> {
  return toJsonSchema(schema, "`schema`", needsZod(schema) ? await loadZod() : undefined);
}

/** As it will be on the wire; later changes of the caller's object make no difference. */
function plainCopy(schema: unknown): Schema {
  if (typeof schema === "boolean") return schema;
  const inner = Object.entries(schema ?? {}).find(([, value]) => isStandard(value));
  if (inner !== undefined) {
    const message = "is itself a schema: wrap the fields, as with z.object({ … })";
    throw unusable([{ path: `schema.${inner[0]}`, message }]);
  }
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema) ?? "null");
    if (isRecord(copy)) return copy;
  } catch (cause) {
    throw unusable([{ message: `must be JSON data: ${textOf(cause).split("\n", 1)[0]}` }]);
  }
  throw unusable([{ message: "must be a Standard Schema or a JSON Schema" }]);
}

/** The value is handed on as the model gave it: nothing is converted, no default put in. */
function jsonReader(document: SchemaDocument): Reader {
  const compiled = compileSchema(document);
  if ("problems" in compiled) throw unusable(compiled.problems);
  return async (value) => {
    const issues = await compiled.validate(value);
    return issues.length === 0 ? { value } : { issues };
  };
}

/** What a schema throws, it throws at this value (a transform, mostly): an issue like others. */
function standardReader(schema: StandardSchema): Reader {
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

function unusable(problems: readonly Issue[]): HawserError {
  const [first] = problems;
  const place = first?.path === undefined ? "`schema`" : `\`${first.path}\``;
  return new HawserError("invalid_options", `${place} ${first?.message}.`, {
    hint: "Correct the schema: the CLI would drop it without a word, and answer in free text.",
    issues: problems.map(({ path = "schema", message }) => ({ path, message })),
  });
}
