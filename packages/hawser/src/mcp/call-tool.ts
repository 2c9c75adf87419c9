import { type ReportFault, textOf } from "../base/index.js";
import type { JsonObject, McpToolCall } from "../wire/index.js";
import type { AnyToolDefinition, ToolExtra } from "./tool.js";
import type { InputIssue, ToolInput } from "./tool-input.js";
import { type CallToolResult, checkToolResult, textResult } from "./tool-result.js";

/** A tool whose input is ready to be described and parsed. */
export interface PreparedTool {
  readonly definition: AnyToolDefinition;
  readonly input: ToolInput;
  /** The library of the schema, which decides how issues are reported. */
  readonly vendor: string | undefined;
}

/** Runs one call. A failure is a result too, so that the model reads it and may try again. */
export async function callTool(
  tools: ReadonlyMap<string, PreparedTool>,
  { name, arguments: args = {} }: McpToolCall,
  extra: ToolExtra,
  report: ReportFault | undefined,
): Promise<CallToolResult> {
  const tool = tools.get(name);
  if (tool === undefined) return textResult(`${INVALID_PARAMS}: Tool ${name} not found`, true);
  try {
    return await run(tool, args, extra);
  } catch (error) {
    const why = report?.(tool.definition.handler, `The tool ${name} failed`, error);
    return textResult(why ?? textOf(error), true);
  }
}

/** The texts of the MCP SDK, because models and the tests of callers know them. */
const INVALID_PARAMS = "MCP error -32602";

async function run(
  tool: PreparedTool,
  args: JsonObject,
  extra: ToolExtra,
): Promise<CallToolResult> {
  const { name } = tool.definition;
  const parsed = await tool.input.parse(args);
  if (parsed.issues !== undefined) {
    const problems = JSON.stringify(parsed.issues.map(issueReporter(tool.vendor)), toJsonValue, 2);
    const what = `Input validation error: Invalid arguments for tool ${name}`;
    return textResult(`${INVALID_PARAMS}: ${what}: ${problems}`, true);
  }
  return checkToolResult(name, await tool.definition.handler(parsed.value as never, extra));
}

/**
 * Issues of zod are plain data and are reported whole. Others may contain the whole input, or
 * cycles.
 */
function issueReporter(vendor: string | undefined): (issue: InputIssue) => object {
  if (vendor === "zod") return (issue) => issue;
  return ({ path = [], message }) => ({
    path: path.map((step) => (typeof step === "object" ? step.key : step)),
    message,
  });
}

function toJsonValue(_key: string, value: unknown): unknown {
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : value;
}
