import { either, listOf, shape } from "./compound.js";
import { jsonSchema } from "./json-schema.js";
import { boolean, isObject, isString, type Kind, oneOf, string } from "./kind.js";

const prompt = either(
  "string or string[]",
  "a string or an array of strings",
  [isString, string],
  [Array.isArray, listOf(string)],
);

export const systemPrompt: Kind = either(
  "system prompt",
  "a string, an array of strings, or an object with `preset` or `prompt`",
  [isString, string],
  [Array.isArray, listOf(string)],
  [
    (value) => isObject(value) && value["type"] === "custom",
    shape({ prompt, snapshot: boolean }, ["prompt"]),
  ],
  [
    isObject,
    shape(
      {
        type: oneOf("preset", "custom"),
        preset: oneOf("claude_code"),
        append: string,
        excludeDynamicSections: boolean,
        snapshot: boolean,
      },
      ["preset"],
    ),
  ],
);

export const outputFormat: Kind = shape({ type: oneOf("json_schema"), schema: jsonSchema }, [
  "type",
  "schema",
]);

/** Some libraries make their schemas functions. */
export const isStandardSchema = (value: unknown): boolean =>
  (isObject(value) || typeof value === "function") && "~standard" in value;

export const schema: Kind = either(
  "schema",
  "a Standard Schema or a JSON Schema",
  [isStandardSchema, { name: "Standard Schema", problems: () => [] }],
  [isObject, jsonSchema],
);
