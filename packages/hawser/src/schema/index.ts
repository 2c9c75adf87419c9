export { WRAPPER } from "./narrow/narrow-schema.js";
export {
  compileOutputSchema,
  type OutputSchema,
  type ParsedOutput as ReadOutput,
} from "./output-schema.js";
export type {
  JsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from "./standard-schema.js";
export {
  loadZod,
  needsZod,
  rebaseReferences,
  toJsonSchema,
  type ZodConverter,
} from "./to-json-schema.js";
export { prefixPath } from "./value-path.js";
