import type { LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { CallToolResult, ContentBlock, ToolContent } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import { toolResultContent } from "../prompt/index.js";

/** The output of a tool of the AI SDK as the result of an MCP call. */
export function toolOutput(
  output: LanguageModelV4ToolResultOutput,
  warnings: CallWarnings,
): CallToolResult {
  const { content = "", is_error } = toolResultContent(output, warnings);
  const list = typeof content === "string" ? [textOf(content)] : content.flatMap(itemOf);
  return { content: list, ...(is_error === true ? { isError: true } : {}) };
}

function textOf(text: string): ToolContent {
  return { type: "text", text };
}

function itemOf(block: ContentBlock): readonly ToolContent[] {
  if (block.type === "text") return [textOf(block.text)];
  if (block.type !== "image" && block.type !== "document") return [];
  const { source } = block;
  if (source.type === "text") return [textOf(source.data)];
  if (source.type !== "base64") return [];
  const { media_type: mimeType, data } = source;
  if (block.type === "image") return [{ type: "image", data, mimeType }];
  // A document reaches the model as a file that the CLI saves.
  return [{ type: "resource", resource: { uri: "file:///document", mimeType, blob: data } }];
}
