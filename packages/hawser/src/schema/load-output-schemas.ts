export type { OutputSchema, ParsedOutput } from "./output-schema.js";

/**
 * Loads `compileOutputSchema()`. The validator is a large part of the code, and most programs have no
 * schema, so that the root of the package does not load it.
 */
export function loadOutputSchemas(): Promise<typeof import("./output-schema.js")> {
  return import("./output-schema.js");
}
