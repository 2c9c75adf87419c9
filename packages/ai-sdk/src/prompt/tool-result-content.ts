import type { JSONValue, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { ContentBlock, ToolResultBlock } from "hawser";
import type { CallWarnings } from "../call-warnings.js";
import { fileBlock } from "./file-block.js";

/** The content of a `tool_result` block, without the id of its call. */
export type ToolResultContent = Pick<ToolResultBlock, "content" | "is_error">;

/** The result of a tool in the terms of the Messages API. */
export function toolResultContent(
  output: LanguageModelV4ToolResultOutput,
  warnings: CallWarnings,
): ToolResultContent {
  switch (output.type) {
    case "text":
      return { content: output.value };
    case "json":
      return { content: json(output.value) };
    case "execution-denied":
      return { content: output.reason || "The user denied this tool call.", is_error: true };
    case "error-text":
      // The API refuses an error without a text.
      return { content: output.value || "The tool failed without a message.", is_error: true };
    case "error-json":
      return { content: json(output.value), is_error: true };
    case "content":
      return { content: output.value.flatMap((item) => itemBlocks(item, warnings)) };
  }
}

/** A tool that returns nothing has `undefined` as its value, although the types do not allow it. */
function json(value: JSONValue | undefined): string {
  return JSON.stringify(value) ?? "null";
}

function itemBlocks(item: ContentItem, warnings: CallWarnings): readonly ContentBlock[] {
  if (item.type === "text") return item.text === "" ? [] : [{ type: "text", text: item.text }];
  if (item.type === "file") {
    const block = fileBlock(item, warnings);
    return block === undefined ? [] : [block];
  }
  const details = "The part of a tool result was left out, because its meaning is not known.";
  warnings.unsupported("custom part in a tool result", details);
  return [];
}

type ContentItem = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];
