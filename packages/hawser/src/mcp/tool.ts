import type { JsonObject } from "../wire/index.js";
import type { AnyZodRawShape, InferInput, ToolInputSchema } from "./infer-input.js";
import type { CallToolResult } from "./tool-result.js";

/** Hints about a tool, as the Model Context Protocol defines them. */
export interface ToolAnnotations {
  title?: string | undefined;
  /** The tool changes nothing. The CLI runs such tools concurrently. */
  readOnlyHint?: boolean | undefined;
  /** The tool may delete or overwrite something. */
  destructiveHint?: boolean | undefined;
  /** A second call with the same arguments has no further effect. */
  idempotentHint?: boolean | undefined;
  /** The tool reaches systems outside, such as the web. */
  openWorldHint?: boolean | undefined;
}

/** The optional properties of a tool, for the last parameter of `tool()`. */
export interface ToolExtras {
  annotations?: ToolAnnotations | undefined;
  title?: string | undefined;
  /** Words by which the tool search of the model finds this tool. */
  searchHint?: string | undefined;
  /**
   * Puts the tool into every request to the model, instead of only after a tool search.
   * @default false
   */
  alwaysLoad?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** The second parameter of a tool's handler. */
export interface ToolExtra {
  /** Aborted when the CLI cancels the call, and when the connection to the CLI closes. */
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  /** Additional data from the CLI: `claudecode/toolUseId`, `progressToken`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Reports progress. Does nothing if the CLI did not ask for progress. */
  readonly sendProgress: (progress: ToolProgressUpdate) => Promise<void>;
  /** Sends any notification to the CLI. */
  readonly sendNotification: (notification: ToolNotification) => Promise<void>;
  /** Always rejects with `not_supported`. To send requests, use an `McpServer` from the MCP SDK. */
  readonly sendRequest: (...request: readonly unknown[]) => Promise<never>;
}

/** The progress of a tool call. */
export interface ToolProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A notification of the Model Context Protocol. */
export interface ToolNotification {
  readonly method: string;
  readonly params?: JsonObject;
}

/** A tool, as `tool()` returns it and `createSdkMcpServer()` accepts it. */
export interface SdkMcpToolDefinition<Schema extends ToolInputSchema = AnyZodRawShape> {
  name: string;
  description: string;
  inputSchema: Schema;
  title?: string | undefined;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** Declared as a method so that tools with different arguments fit into one array. */
  handler(args: InferInput<Schema>, extra: unknown): Promise<CallToolResult>;
}

/** A tool with any arguments. */
export interface AnyToolDefinition extends Omit<SdkMcpToolDefinition, "inputSchema" | "handler"> {
  inputSchema: ToolInputSchema;
  /** Runs the tool. Its arguments have been validated before. */
  handler(args: never, extra: unknown): Promise<CallToolResult>;
}

/**
 * Defines a tool that runs inside your program. A Standard Schema (zod, valibot, arktype) checks
 * the arguments and applies defaults and transforms before the handler gets them. Plain JSON Schema
 * only describes the arguments to the model; the handler then gets them as the model gave them.
 *
 * @example
 * ```ts
 * const add = tool("add", "Adds numbers.", { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: "text", text: String(a + b) }],
 * }));
 * ```
 */
export function tool<Schema extends ToolInputSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferInput<Schema>, extra: ToolExtra) => Promise<CallToolResult>,
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Schema> {
  const { annotations, title, searchHint, alwaysLoad } = extras;
  const _meta = {
    ...extras._meta,
    ...(searchHint ? { "anthropic/searchHint": searchHint } : {}),
    ...(alwaysLoad === true ? { [ALWAYS_LOAD]: true } : {}),
  };
  return {
    name,
    description,
    inputSchema,
    handler: handler as SdkMcpToolDefinition<Schema>["handler"],
    ...(title === undefined ? {} : { title }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
  };
}

/** The field of `_meta` that tells the CLI to load a tool at once. */
export const ALWAYS_LOAD = "anthropic/alwaysLoad";
