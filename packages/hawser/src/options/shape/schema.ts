import type { JsonSchema } from "../../schema/index.js";

/** Structured output in the official SDK's words. */
export interface OutputFormat {
  readonly type: "json_schema";
  readonly schema: JsonSchema;
}
