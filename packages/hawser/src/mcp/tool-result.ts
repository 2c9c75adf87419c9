/** What a tool's handler returns, in the words of the Model Context Protocol. */
export interface CallToolResult {
  content: ToolContent[];
  /** The same answer as data. */
  structuredContent?: Record<string, unknown> | undefined;
  /** The tool failed, and `content` says how: the model reads it and may try again. */
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
  [field: string]: unknown;
}

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

export interface TextContent extends ContentFields {
  type: "text";
  text: string;
}

export interface ImageContent extends ContentFields {
  type: "image";
  /** In base64. */
  data: string;
  mimeType: string;
}

export interface AudioContent extends ContentFields {
  type: "audio";
  /** In base64. */
  data: string;
  mimeType: string;
}

export interface EmbeddedResource extends ContentFields {
  type: "resource";
  resource: {
    uri: string;
    mimeType?: string | undefined;
    _meta?: Record<string, unknown> | undefined;
  } & ({ text: string } | { blob: string });
}

export interface ResourceLink extends ContentFields {
  type: "resource_link";
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  size?: number | undefined;
}

export interface ContentAnnotations {
  audience?: ("user" | "assistant")[] | undefined;
  priority?: number | undefined;
  lastModified?: string | undefined;
}

export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
}

/** A handler's value as it can be sent: `content` may be left out, nothing else may be missing. */
export function checkToolResult(tool: string, value: unknown): CallToolResult {
  const problem = problemOf(value);
  if (problem !== undefined) return textResult(`The tool ${tool} returned ${problem}.`, true);
  return { content: [], ...(value as object) };
}

function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return `${value === null ? "null" : typeof value}, not a result`;
  const content = value["content"] ?? [];
  if (!Array.isArray(content)) return "a result whose content is not a list";
  const wrong = content.findIndex((item) => !isContent(item));
  if (wrong >= 0) return `a result whose content[${wrong}] is not valid`;
  return isJson([value["structuredContent"], value["_meta"]])
    ? undefined
    : "a result that cannot be written as JSON";
}

/** The fields that each kind of content cannot do without, all of them text. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
};

function isContent(item: unknown): boolean {
  if (!isRecord(item) || typeof item["type"] !== "string") return false;
  const fields = REQUIRED[item["type"]] ?? [];
  if (item["type"] === "resource" && !isRecord(item["resource"])) return false;
  return fields.every((field) => typeof item[field] === "string");
}

/** Content is long and made of text; the rest is short, so that trying it costs little. */
function isJson(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    // A cycle, a BigInt, or a toJSON that throws: all the same to the caller.
    return false;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
