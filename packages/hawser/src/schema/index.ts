export { isObjectSchema } from "./is-object-schema.js";
export { jsonSchemaKind } from "./json-schema-kind.js";
export { loadOutputSchemas, type OutputSchema, type ParsedOutput } from "./load-output-schemas.js";
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
export { prefixPath, WRAPPER_PROPERTY } from "./value-path.js";
