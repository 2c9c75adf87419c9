export { jsonSchemaKind } from "./json-schema-kind.js";
export { WRAPPER } from "./narrow.js";
export { type OutputSchema, type ReadOutput, readSchema } from "./output-schema.js";
export { under } from "./path.js";
export type {
  JsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./standard-schema.js";
export { loadZod, needsZod, rebase, toJsonSchema, type ZodConverter } from "./to-json-schema.js";
