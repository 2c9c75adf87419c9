import { HawserError, type Issue } from "../base/index.js";
import type { McpSdkServerConfig } from "../wire/index.js";
import type { PreparedTool } from "./call-tool.js";
import type { ToolInputSchema } from "./infer-input.js";
import type { ConnectableServer } from "./mcp-transport.js";
import { ALWAYS_LOAD, type AnyToolDefinition } from "./tool.js";
import { readToolInput } from "./tool-input.js";
import { listTool, ToolServer } from "./tool-server.js";

/** What a server of this program is made of. */
export interface CreateSdkMcpServerOptions {
  name: string;
  /** `1.0.0` unless given. */
  version?: string | undefined;
  /** What the model is told about the server as a whole. */
  instructions?: string | undefined;
  tools?: readonly AnyToolDefinition[] | undefined;
  /** For every tool of the server what `alwaysLoad` is for one. */
  alwaysLoad?: boolean | undefined;
  /** Of one tool call, in milliseconds; below 1000 the CLI ignores it. */
  timeout?: number | undefined;
}

/** A server inside this program: ours, or one of the MCP SDK. */
export interface McpSdkServerConfigWithInstance extends McpSdkServerConfig {
  instance: ConnectableServer;
}

/** The same with a server of ours, which can be shared. */
export interface ToolServerConfig extends McpSdkServerConfigWithInstance {
  instance: ToolServer;
}

/**
 * Makes an MCP server of tools that run inside this program, as an entry of `mcpServers`. One server
 * can serve many sessions at once. Throws `invalid_options` for a tool that could not be called.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): ToolServerConfig {
  const { name, version = "1.0.0", instructions, tools = [], timeout } = options;
  refuseProblems(name, [...problemsOf(options)]);
  const ready = tools.map((tool) => readyTool(name, withLoading(tool, options.alwaysLoad)));
  // What cannot be described is found here and not when a session starts.
  for (const tool of ready) if (!tool.input.needsZod) listTool(tool);
  const byName = new Map(ready.map((tool) => [tool.definition.name, tool]));
  return {
    type: "sdk",
    name,
    instance: new ToolServer({ name, version, instructions, tools: byName }),
    ...(timeout === undefined ? {} : { timeout }),
  };
}

function* problemsOf({ name, tools = [] }: CreateSdkMcpServerOptions): Iterable<Issue> {
  if (!isName(name)) yield { path: "name", message: "must be a text that is not empty" };
  const seen = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (!isName(tool.name))
      yield { path: `${path}.name`, message: "must be a text that is not empty" };
    else if (seen.has(tool.name))
      yield { path: `${path}.name`, message: `"${tool.name}" is there twice` };
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
    hint: "Give each tool a name of its own and a handler.",
    issues,
  });
}

function readyTool(server: string, definition: AnyToolDefinition): PreparedTool {
  const { name, inputSchema } = definition;
  const where = `The input of the tool "${name}" of "${server}"`;
  return { definition, input: readToolInput(inputSchema, where), vendor: vendorOf(inputSchema) };
}

/** Of the whole schema, or of all arguments if they come from one library. */
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
