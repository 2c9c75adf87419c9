import type { ModelRequest } from "hawser/answer";

/**
 * An estimate of the input tokens of a request: four bytes of text are one token, and each image or page counts as
 * the API counts a large one. The CLI offers no exact count.
 */
export function estimateTokens({
  system = "",
  messages,
  tools,
}: Pick<ModelRequest, "system" | "messages" | "tools">): number {
  let media = 0;
  const text = JSON.stringify({ system, messages, tools }, (key, value: unknown) => {
    if (key !== "data" || typeof value !== "string" || value.length < MEDIA_LENGTH) return value;
    media += 1;
    return "";
  });
  return Math.ceil(Buffer.byteLength(text) / 4) + media * MEDIA_TOKENS;
}

/** Shorter data counts as text. */
const MEDIA_LENGTH = 1_000;
const MEDIA_TOKENS = 1_600;
