import type { DocumentBlock, ImageBlock } from "hawser";
import { RequestError } from "../errors/request-error.js";
import type { UrlFiles } from "../http/url-files.js";

const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/**
 * An image of the Messages API for a `data:` URL, or for a URL that `files` takes. `path` names the parameter that
 * holds the URL.
 */
export function imageBlock(url: string, path: string, files?: UrlFiles): ImageBlock {
  if (files !== undefined && isRemoteUrl(url)) {
    return { type: "image", source: files.source(url, "image", path) };
  }
  const { mediaType, data } = parseDataUrl(url, path);
  if (!IMAGE_TYPES.has(mediaType)) {
    const message = `\`${path}\`: images of the type ${mediaType || "(none)"} are not supported. Use JPEG, PNG, GIF or WebP.`;
    throw new RequestError("invalid_request", message, { param: path });
  }
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

/** A file of a request, as both OpenAI formats describe it. */
export interface FileInput {
  readonly file_data?: string | null | undefined;
  readonly file_id?: string | null | undefined;
  readonly filename?: string | null | undefined;
}

/** A document of the Messages API for a URL that `files` takes, or for a `data:` URL in its place. */
export function fileBlockOfUrl(
  url: string,
  filename: string | null | undefined,
  path: string,
  files: UrlFiles,
): DocumentBlock | ImageBlock {
  if (!isRemoteUrl(url)) return fileBlock({ file_data: url, filename }, path);
  const source = files.source(url, "document", `${path}.file_url`);
  return { type: "document", source, ...titleOf(filename) };
}

/** A document of the Messages API: a PDF or a text. `path` names the parameter that describes the file. */
export function fileBlock(file: FileInput, path: string): DocumentBlock | ImageBlock {
  if (typeof file.file_data !== "string" || file.file_data === "") {
    const message = `\`${path}\`: the gateway stores no files. Pass the contents as a data: URL in \`file_data\`.`;
    throw new RequestError("invalid_request", message, { param: path });
  }
  const at = `${path}.file_data`;
  const { mediaType, data } = file.file_data.startsWith("data:")
    ? parseDataUrl(file.file_data, at)
    : { mediaType: typeByName(file.filename), data: checkedBase64(file.file_data, at) };
  const title = titleOf(file.filename);
  if (mediaType === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type: mediaType, data }, ...title };
  }
  if (mediaType.startsWith("text/") || mediaType === "application/json") {
    const text = Buffer.from(data, "base64").toString("utf8");
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: text },
      ...title,
    };
  }
  if (IMAGE_TYPES.has(mediaType)) return imageBlock(file.file_data, at);
  const message = `\`${at}\`: files of the type ${mediaType || "(none)"} are not supported. Use a PDF or a text.`;
  throw new RequestError("invalid_request", message, { param: at });
}

/** Whether the gateway would have to fetch this. */
export function isRemoteUrl(url: string): boolean {
  return /^https?:/i.test(url);
}

function titleOf(filename: string | null | undefined): { readonly title?: string } {
  return filename === undefined || filename === null ? {} : { title: filename };
}

function parseDataUrl(url: string, path: string): { mediaType: string; data: string } {
  if (isRemoteUrl(url)) {
    const message = `\`${path}\`: the gateway does not fetch URLs unless \`fetchUrls\` is set in its configuration. Pass the contents as a data: URL.`;
    throw new RequestError("invalid_request", message, { param: path });
  }
  const comma = url.indexOf(",");
  // No head is longer. A regular expression would fail on a head of some megabytes.
  const head = comma < 0 || comma > LONGEST_HEAD ? "" : url.slice(0, comma);
  const [, mediaType] = /^data:([^;]*)(?:;[^;]*)*;base64$/i.exec(head) ?? [];
  const data = url.slice(comma + 1);
  if (mediaType === undefined) {
    const message = `\`${path}\`: not a data: URL with base64, such as data:image/png;base64,iVBOR...`;
    throw new RequestError("invalid_request", message, { param: path });
  }
  return { mediaType: mediaType.toLowerCase(), data: checkedBase64(data, path) };
}

const LONGEST_HEAD = 1000;

function checkedBase64(data: string, path: string): string {
  const clean = data.replaceAll(/\s/g, "");
  if (clean !== "" && clean.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(clean)) return clean;
  throw new RequestError("invalid_request", `\`${path}\`: not valid base64.`, { param: path });
}

function typeByName(filename: string | null | undefined): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
  return TYPES_BY_EXTENSION.get(extension) ?? "";
}

/** A map, because a client chooses the name: an object would also have `constructor`. */
const TYPES_BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["md", "text/markdown"],
  ["csv", "text/csv"],
  ["json", "application/json"],
]);
