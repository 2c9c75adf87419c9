import type { UrlFiles } from "../../http/url-files.js";
import type { MessagePart, ResponseItem } from "./response-item.js";

/**
 * The items with the contents of the files that they name by URL, so that a stored item does not depend on the URL.
 * A URL that was not fetched stays.
 */
export function inlineResponseUrls(
  items: readonly ResponseItem[],
  files: UrlFiles | undefined,
): readonly ResponseItem[] {
  if (files === undefined) return items;
  return items.map((item) => {
    if (item.type === "message" && typeof item.content !== "string") {
      return { ...item, content: inlineParts(item.content, files) };
    }
    if ("output" in item && typeof item.output !== "string") {
      return { ...item, output: inlineParts(item.output, files) };
    }
    return item;
  });
}

function inlineParts<T extends MessagePart>(parts: readonly T[], files: UrlFiles): readonly T[] {
  return parts.map((part) => ({ ...part, ...inlinedFields(part, files) }));
}

function inlinedFields(part: MessagePart, files: UrlFiles): object {
  if (part.type === "input_image" && typeof part.image_url === "string") {
    return { image_url: files.dataUrl(part.image_url) ?? part.image_url };
  }
  if (part.type === "input_file" && typeof part.file_url === "string") {
    const file_data = files.dataUrl(part.file_url);
    if (file_data !== undefined) return { file_data, file_url: undefined };
  }
  return {};
}
