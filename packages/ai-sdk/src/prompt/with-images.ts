import type { JSONObject, JSONValue, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";

/**
 * The result of a tool of the CLI as the model had it. An agent shows a result with images as a list, which the AI SDK
 * gives back as JSON. As JSON, the model would read the bytes of the images as text.
 */
export function withImages(
  output: LanguageModelV4ToolResultOutput,
): LanguageModelV4ToolResultOutput {
  if (output.type !== "json" || !Array.isArray(output.value)) return output;
  const items = output.value.map(itemOf);
  return items.every((item) => item !== undefined) ? { type: "content", value: items } : output;
}

function itemOf(item: JSONValue): ContentItem | undefined {
  if (typeof item !== "object" || item === null || Array.isArray(item)) return undefined;
  const { type, text, mediaType, data } = item as JSONObject;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type !== "image" || typeof mediaType !== "string" || typeof data !== "string") {
    return undefined;
  }
  return { type: "file", mediaType, data: { type: "data", data } };
}

type ContentItem = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];
