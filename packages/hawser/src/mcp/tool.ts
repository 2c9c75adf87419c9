import type { JsonObject } from "../wire/index.js";
import type { AnyZodRawShape, InferInput, ToolInputSchema } from "./infer-input.js";
import type { CallToolResult } from "./tool-result.js";

/** Hints about a tool; the CLI runs tools that only read side by side. */
export interface ToolAnnotations {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
}

/** What a tool may have beside its function. */
export interface ToolExtras {
  annotations?: ToolAnnotations | undefined;
  title?: string | undefined;
  /** Words by which the model's tool search finds this tool. */
  searchHint?: string | undefined;
  /** In every request to the model from the start, instead of only after a tool search. */
  alwaysLoad?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** What a handler gets beside its arguments. */
export interface ToolExtra {
  /** Aborted when the CLI cancels the call, and when the line to it closes. */
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  /** What the CLI sent along: `claudecode/toolUseId`, `progressToken`. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Does nothing where the caller did not ask for progress. */
  readonly sendProgress: (progress: ToolProgressUpdate) => Promise<void>;
  /** Any notification to the CLI. */
  readonly sendNotification: (notification: ToolNotification) => Promise<void>;
  /** Rejects with `not_supported`: connect an `McpServer` of the MCP SDK for requests of its own. */
  readonly sendRequest: (...request: readonly unknown[]) => Promise<never>;
}

/** How far a call has come. */
export interface ToolProgressUpdate {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A notification in the words of MCP. */
export interface ToolNotification {
  readonly method: string;
  readonly params?: JsonObject;
}

/** A tool as `tool()` makes it and `createSdkMcpServer()` takes it. */
export interface SdkMcpToolDefinition<Schema extends ToolInputSchema = AnyZodRawShape> {
  name: string;
  description: string;
  inputSchema: Schema;
  title?: string | undefined;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  /** A method, so that tools of different arguments fit into one list. */
  handler(args: InferInput<Schema>, extra: unknown): Promise<CallToolResult>;
}

/** A tool whatever its arguments are. */
export interface AnyToolDefinition extends Omit<SdkMcpToolDefinition, "inputSchema" | "handler"> {
  inputSchema: ToolInputSchema;
  /** What it does; its arguments are checked before. */
  handler(args: never, extra: unknown): Promise<CallToolResult>;
}

/**
 * Defines a tool that runs inside this program. Arguments are validated, with defaults and
 * transforms applied, before the handler sees them; those described by plain JSON Schema are only
 * described to the model, and come as the model gave them.
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

/** The field of `_meta` by which the CLI knows a tool that is never deferred. */
export const ALWAYS_LOAD = "anthropic/alwaysLoad";
