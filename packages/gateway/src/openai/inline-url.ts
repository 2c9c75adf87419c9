import type { FetchUrl } from "../http/fetch-url.js";
import { isRemoteUrl } from "./media-blocks.js";

/** The contents of a URL as a `data:` URL. Other texts stay as they are. */
export async function inlineUrl(
  url: string,
  kind: "image" | "document",
  param: string,
  fetchUrl: FetchUrl,
): Promise<string> {
  if (!isRemoteUrl(url)) return url;
  const { mediaType, data } = await fetchUrl(url, kind, param);
  return `data:${mediaType};base64,${data}`;
}
