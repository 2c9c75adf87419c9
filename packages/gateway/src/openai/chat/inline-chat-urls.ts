import type { FetchUrl } from "../../http/fetch-url.js";
import { inlineUrl } from "../inline-url.js";
import type { ChatBody, ChatMessage, ChatUserPart } from "./chat-body.js";

/** Fetches the images that a request names by URL. Without `fetchUrl`, the translation refuses them. */
export async function inlineChatUrls(
  body: ChatBody,
  fetchUrl: FetchUrl | undefined,
): Promise<ChatBody> {
  if (fetchUrl === undefined) return body;
  const messages: ChatMessage[] = [];
  for (const [i, message] of body.messages.entries()) {
    const { role } = message;
    if ((role === "user" || role === "tool") && typeof message.content !== "string") {
      const content = await inlineParts(message.content, `messages[${i}].content`, fetchUrl);
      messages.push({ ...message, content });
    } else messages.push(message);
  }
  return { ...body, messages };
}

async function inlineParts(
  parts: readonly ChatUserPart[],
  path: string,
  fetchUrl: FetchUrl,
): Promise<readonly ChatUserPart[]> {
  const inlined: ChatUserPart[] = [];
  for (const [i, part] of parts.entries()) {
    if (part.type === "image_url") {
      const { url: given } = part.image_url;
      const url = await inlineUrl(given, "image", `${path}[${i}].image_url.url`, fetchUrl);
      inlined.push({ ...part, image_url: { ...part.image_url, url } });
    } else inlined.push(part);
  }
  return inlined;
}
