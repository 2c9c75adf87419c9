import { isObject, type Kind, kind } from "../../../base/index.js";
import { isStandardSchema, jsonSchemaKind } from "../../../schema/index.js";

const prompt = kind.either(
  "string or string[]",
  "a string or an array of strings",
  [kind.isString, kind.string],
  [Array.isArray, kind.listOf(kind.string)],
);

export const systemPrompt: Kind = kind.either(
  "system prompt",
  "a string, an array of strings, or an object with `preset` or `prompt`",
  [kind.isString, kind.string],
  [Array.isArray, kind.listOf(kind.string)],
  [
    (value) => isObject(value) && value["type"] === "custom",
    kind.shape({ prompt, snapshot: kind.boolean }, ["prompt"]),
  ],
  [
    isObject,
    kind.shape(
      {
        type: kind.oneOf("preset", "custom"),
        preset: kind.oneOf("claude_code"),
        append: kind.string,
        excludeDynamicSections: kind.boolean,
        snapshot: kind.boolean,
      },
      ["preset"],
    ),
  ],
);

export const outputFormat: Kind = kind.shape(
  { type: kind.oneOf("json_schema"), schema: jsonSchemaKind },
  ["type", "schema"],
);

export const schema: Kind = kind.either(
  "schema",
  'a Standard Schema, for example of zod, or a JSON Schema such as { type: "object" }',
  [isStandardSchema, { name: "Standard Schema", problems: () => [] }],
  [isObject, jsonSchemaKind],
);
