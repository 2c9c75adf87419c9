import { HawserError, type Issue } from "../base/index.js";
import type { McpSdkServerConfig } from "../wire/index.js";
import type { PreparedTool } from "./call-tool.js";
import type { ToolInputSchema } from "./infer-input.js";
import type { ConnectableServer } from "./mcp-transport.js";
import { ALWAYS_LOAD, type AnyToolDefinition } from "./tool.js";
import { readToolInput } from "./tool-input.js";
import { describeTool, ToolServer } from "./tool-server.js";

/** The options of `createSdkMcpServer()`. */
export interface CreateSdkMcpServerOptions {
  /** Name of the server. The model sees its tools as `mcp__<server>__<tool>`. */
  name: string;
  /**
   * The version that the server reports.
   * @default "1.0.0"
   */
  version?: string | undefined;
  /** Instructions for the model about the server as a whole. */
  instructions?: string | undefined;
  /** The tools of the server, made with `tool()`. */
  tools?: readonly AnyToolDefinition[] | undefined;
  /**
   * Sets `alwaysLoad` for every tool of the server.
   * @default false
   */
  alwaysLoad?: boolean | undefined;
  /** The time limit of one tool call, in milliseconds. The CLI ignores a limit below 1000. */
  timeout?: number | undefined;
}

/** An entry of `mcpServers` for a server inside your program, from hawser or the MCP SDK. */
export interface McpSdkServerConfigWithInstance extends McpSdkServerConfig {
  instance: ConnectableServer;
}

/** An entry of `mcpServers` with a server from `createSdkMcpServer()`, which sessions can share. */
export interface ToolServerConfig extends McpSdkServerConfigWithInstance {
  instance: ToolServer;
}

/**
 * Creates an MCP server with tools that run inside your program, as an entry for `mcpServers`. One
 * server can serve many sessions at once. Throws `invalid_options` for a tool that could not be
 * called.
 *
 * @example
 * ```ts
 * const math = createSdkMcpServer({ name: "math", tools: [add] });
 * const session = await openSession({
 *   mcpServers: { math },
 *   allowedTools: ["mcp__math__add"],
 * });
 * ```
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): ToolServerConfig {
  const { name, version = "1.0.0", instructions, tools = [], timeout } = options;
  refuseProblems(name, [...findProblems(options)]);
  const prepared = tools.map((tool) => prepareTool(name, withLoading(tool, options.alwaysLoad)));
  // Throws here for a schema that cannot be described, and not when a session starts.
  for (const tool of prepared) if (!tool.input.needsZod) describeTool(tool);
  const byName = new Map(prepared.map((tool) => [tool.definition.name, tool]));
  return {
    type: "sdk",
    name,
    instance: new ToolServer({ name, version, instructions, tools: byName }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function* findProblems({ name, tools = [] }: CreateSdkMcpServerOptions): Iterable<Issue> {
  if (!isName(name)) yield { path: "name", message: "must be a non-empty string" };
  const seen = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (!isName(tool.name)) yield { path: `${path}.name`, message: "must be a non-empty string" };
    else if (seen.has(tool.name))
      yield { path: `${path}.name`, message: `"${tool.name}" is used twice` };
    if (typeof tool.handler !== "function")
      yield { path: `${path}.handler`, message: "must be a function" };
    seen.add(tool.name);
  }
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function refuseProblems(server: string, issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const told = issues.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new HawserError("invalid_options", `The server "${server}" is not valid: ${told}.`, {
    hint: "Give each tool a unique name and a handler.",
    issues,
  });
}

function prepareTool(server: string, definition: AnyToolDefinition): PreparedTool {
  const { name, inputSchema } = definition;
  const where = `The input of the tool "${name}" of "${server}"`;
  return { definition, input: readToolInput(inputSchema, where), vendor: vendorOf(inputSchema) };
}

/** The library of the schema, or of the schemas of all arguments if they share one. */
function vendorOf(schema: ToolInputSchema): string | undefined {
  const fields = "~standard" in schema ? [schema] : Object.values(schema);
  const vendors = fields.map(
    (field) => (field as { "~standard"?: { vendor?: string } })?.["~standard"]?.vendor,
  );
  return new Set(vendors).size === 1 ? vendors[0] : undefined;
}

function withLoading(tool: AnyToolDefinition, alwaysLoad = false): AnyToolDefinition {
  return alwaysLoad ? { ...tool, _meta: { ...tool._meta, [ALWAYS_LOAD]: true } } : tool;
}
