import type { JsonSchema } from "../../schema/index.js";

/** A tool that your program runs itself: the model calls it, and the call ends with `toolCalls`. */
export interface ClientTool {
  /** 1 to 64 letters, digits, `_` and `-`. The model sees exactly this name. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. The model sees it as it is; the input of a call is not checked against it. */
  readonly inputSchema: JsonSchema;
}

/**
 * Whether the model must call a tool of `clientTools`: it decides (`auto`), it has no tools (`none`), it must call
 * one of them (`required`), or it must call the one that is named.
 */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string };
