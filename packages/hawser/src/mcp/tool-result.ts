import { isObject } from "../base/index.js";

/**
 * The result of a tool's handler, as the Model Context Protocol defines it.
 *
 * @example
 * ```ts
 * const result: CallToolResult = { content: [{ type: "text", text: "42" }] };
 * ```
 */
export interface CallToolResult {
  /** What the model reads. */
  content: ToolContent[];
  /** The answer as data. */
  structuredContent?: Record<string, unknown> | undefined;
  /** The tool failed, and `content` says why. The model reads it and may try again. */
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
  [field: string]: unknown;
}

/** One part of a tool's result. */
export type ToolContent =
  | TextContent
  | ImageContent
  | AudioContent
  | EmbeddedResource
  | ResourceLink;

interface ContentFields {
  annotations?: ContentAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
}

/** Text in a tool's result. */
export interface TextContent extends ContentFields {
  type: "text";
  text: string;
}

/** An image in a tool's result. */
export interface ImageContent extends ContentFields {
  type: "image";
  /** In base64. */
  data: string;
  mimeType: string;
}

/** Sound in a tool's result. */
export interface AudioContent extends ContentFields {
  type: "audio";
  /** In base64. */
  data: string;
  mimeType: string;
}

/** A resource with its contents in a tool's result. */
export interface EmbeddedResource extends ContentFields {
  type: "resource";
  resource: {
    uri: string;
    mimeType?: string | undefined;
    _meta?: Record<string, unknown> | undefined;
  } & ({ text: string } | { blob: string });
}

/** A link to a resource in a tool's result. */
export interface ResourceLink extends ContentFields {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
}

/** Hints about a part of a tool's result. */
export interface ContentAnnotations {
  audience?: ("user" | "assistant")[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
}

/** The value of a handler as a result that can be sent. Only `content` may be left out. */
export function checkToolResult(tool: string, value: unknown): CallToolResult {
  const problem = problemOf(value);
  if (problem !== undefined) return textResult(`The tool ${tool} returned ${problem}.`, true);
  return { content: [], ...(value as object) };
}

function problemOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return "a list, not a result";
  if (!isObject(value)) return `${value === null ? "null" : typeof value}, not a result`;
  const content = value["content"] ?? [];
  if (!Array.isArray(content)) return "a result whose content is not a list";
  const wrong = content.findIndex((item) => !isContent(item));
  if (wrong >= 0) return `a result whose content[${wrong}] is not valid`;
  return isJson([value["structuredContent"], value["_meta"]])
    ? undefined
    : "a result that cannot be written as JSON";
}

/** The required fields of each kind of content. All of them are strings. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
};

function isContent(item: unknown): boolean {
  if (!isObject(item) || typeof item["type"] !== "string") return false;
  const fields = REQUIRED[item["type"]] ?? [];
  if (item["type"] === "resource" && !isObject(item["resource"])) return false;
  return fields.every((field) => typeof item[field] === "string");
}

/** Only for the short fields of a result: the content is long, and its strings need no check. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    // A cycle, a BigInt, or a toJSON() that throws.
    return false;
  }
}
