export { jsonSchemaKind } from "./json-schema-kind.js";
export { WRAPPER_PROPERTY } from "./narrow/narrow-schema.js";
export { compileOutputSchema, type OutputSchema, type ParsedOutput } from "./output-schema.js";
export { SchemaDocument } from "./schema-document.js";
export {
  isStandardSchema,
  type JsonSchema,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
} from "./standard-schema.js";
export { isSchema, rebaseReferences } from "./subschemas.js";
export {
  loadZod,
  needsZod,
  toJsonSchema,
  type ZodConverter,
} from "./to-json-schema.js";
export { prefixPath } from "./value-path.js";
