import type { FetchUrl } from "../../http/fetch-url.js";
import { inlineUrl } from "../inline-url.js";
import type { MessagePart, ResponseItem } from "./response-item.js";

/**
 * Fetches the images and files that items name by URL, so that a stored item has the contents. Without `fetchUrl`,
 * the translation refuses them.
 */
export async function inlineResponseUrls(
  items: readonly ResponseItem[],
  fetchUrl: FetchUrl | undefined,
): Promise<readonly ResponseItem[]> {
  if (fetchUrl === undefined) return items;
  const inlined: ResponseItem[] = [];
  for (const [i, item] of items.entries()) {
    const path = `input[${i}]`;
    if (item.type === "message" && typeof item.content !== "string") {
      const content = await inlineParts(item.content, `${path}.content`, fetchUrl);
      inlined.push({ ...item, content });
    } else if ("output" in item && typeof item.output !== "string") {
      inlined.push({ ...item, output: await inlineParts(item.output, `${path}.output`, fetchUrl) });
    } else inlined.push(item);
  }
  return inlined;
}

async function inlineParts<T extends MessagePart>(
  parts: readonly T[],
  path: string,
  fetchUrl: FetchUrl,
): Promise<readonly T[]> {
  const inlined: T[] = [];
  for (const [i, part] of parts.entries()) {
    inlined.push({ ...part, ...(await inlinedFields(part, `${path}[${i}]`, fetchUrl)) });
  }
  return inlined;
}

async function inlinedFields(part: MessagePart, path: string, fetchUrl: FetchUrl): Promise<object> {
  if (part.type === "input_image" && typeof part.image_url === "string") {
    const image_url = await inlineUrl(part.image_url, "image", `${path}.image_url`, fetchUrl);
    return { image_url };
  }
  if (part.type === "input_file" && typeof part.file_url === "string") {
    const file_data = await inlineUrl(part.file_url, "document", `${path}.file_url`, fetchUrl);
    return { file_data, file_url: undefined };
  }
  return {};
}
