import type { LanguageModelV4FilePart, SharedV4FileData } from "@ai-sdk/provider";
import type { DocumentBlock, ImageBlock } from "hawser";
import type { CallWarnings } from "../call-warnings.js";

/** A file of a message or of a tool result. */
export type FileInput = Pick<LanguageModelV4FilePart, "data" | "mediaType" | "filename">;

/**
 * The block for an image, a PDF or a text. Any other file is left out with a warning, because the model cannot read
 * it.
 */
export function fileBlock(
  file: FileInput,
  warnings: CallWarnings,
): ImageBlock | DocumentBlock | undefined {
  const { data, filename } = file;
  const title = filename === undefined ? {} : { title: filename };
  if (data.type === "text") return { ...textDocument(data.text), ...title };
  const bytes = bytesOf(data);
  if (bytes === undefined) {
    const what = data.type === "url" ? "URL" : "provider reference";
    const details = `The ${what} was left out, because the CLI takes files by their contents only. Pass the bytes.`;
    warnings.unsupported(`file given as ${what}`, details);
    return undefined;
  }
  const mediaType = fullMediaType(file.mediaType, bytes);
  if (IMAGE_TYPES.has(mediaType)) {
    const source = { type: "base64", media_type: mediaType, data: base64(bytes) } as const;
    return { type: "image", source };
  }
  if (mediaType === "application/pdf") {
    const source = { type: "base64", media_type: mediaType, data: base64(bytes) } as const;
    return { type: "document", source, ...title };
  }
  if (isText(mediaType)) return { ...textDocument(bytes.toString("utf8")), ...title };
  const name = filename === undefined ? "" : ` "${filename}"`;
  warnings.unsupported(
    `file of the type ${mediaType}`,
    `The file${name} was left out. The model reads JPEG, PNG, GIF and WebP images, PDF and text.`,
  );
  return undefined;
}

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

function textDocument(text: string): DocumentBlock {
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
}

/** Undefined for data that would have to be fetched. */
function bytesOf(data: Exclude<SharedV4FileData, { type: "text" }>): Buffer | undefined {
  if (data.type === "data") return bufferOf(data.data);
  if (data.type === "url" && data.url.protocol === "data:") return dataUrlBytes(data.url.href);
  return undefined;
}

function bufferOf(data: Uint8Array | string): Buffer {
  if (typeof data === "string") return Buffer.from(data, "base64");
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

function dataUrlBytes(url: string): Buffer {
  const comma = url.indexOf(",");
  const isBase64 = url.slice(0, comma).endsWith(";base64");
  const text = url.slice(comma + 1);
  return isBase64 ? Buffer.from(text, "base64") : Buffer.from(decodeURIComponent(text), "utf8");
}

function base64(bytes: Buffer): string {
  return bytes.toString("base64");
}

/** The AI SDK also allows `image` or `image/*`. Then the first bytes of the file tell its type. */
function fullMediaType(mediaType: string, bytes: Buffer): string {
  const type = (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (type === "image/jpg") return "image/jpeg";
  if (type.includes("/") && !type.endsWith("/*")) return type;
  const found = SIGNATURES.find(({ at = 0, text }) => {
    return bytes.subarray(at, at + text.length).toString("latin1") === text;
  });
  if (found !== undefined) return found.mediaType;
  return type.startsWith("text") ? "text/plain" : type;
}

/** How files of these types begin. */
const SIGNATURES: readonly Signature[] = [
  { text: "\x89PNG", mediaType: "image/png" },
  { text: "\xff\xd8\xff", mediaType: "image/jpeg" },
  { text: "GIF8", mediaType: "image/gif" },
  { at: 8, text: "WEBP", mediaType: "image/webp" },
  { text: "%PDF", mediaType: "application/pdf" },
];

interface Signature {
  readonly at?: number;
  readonly text: string;
  readonly mediaType: string;
}

function isText(mediaType: string): boolean {
  return (
    mediaType.startsWith("text/") || TEXT_TYPES.has(mediaType) || /\+(json|xml)$/.test(mediaType)
  );
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/javascript",
  "application/typescript",
  "application/sql",
]);
