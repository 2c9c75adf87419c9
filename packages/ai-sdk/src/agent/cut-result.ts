import type { JSONValue } from "@ai-sdk/provider";
import type { ContentBlock } from "hawser";

/** A tool's result as a reader sees it, and how many characters it lacks. */
export interface ShownResult {
  readonly result: NonNullable<JSONValue>;
  readonly omittedChars: number;
}

/**
 * The result of a tool for the reader: a text if it holds nothing else, and otherwise a list of texts and images. A
 * result of megabytes would flood the stream and every later request, so that it is cut.
 */
export function cutResult(
  content: string | readonly ContentBlock[],
  maxChars: number,
): ShownResult {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  let left = maxChars;
  let omittedChars = 0;
  const take = (text: string): string => {
    const shown = text.slice(0, left);
    left -= shown.length;
    const omitted = text.length - shown.length;
    omittedChars += omitted;
    return omitted === 0 ? text : `${shown}\n${marker(omitted)}`;
  };
  const items = blocks.map((block): Item => {
    if (block.type === "text") return { type: "text", text: take(block.text) };
    const text = JSON.stringify(block);
    if (block.type === "image" && block.source.type === "base64" && text.length <= left) {
      left -= text.length;
      const { media_type: mediaType, data } = block.source;
      return { type: "image", mediaType, data };
    }
    if (text.length <= left && block.type !== "image") return { type: "text", text: take(text) };
    omittedChars += text.length;
    return { type: "text", text: `[${block.type}] ${marker(text.length)}` };
  });
  const isText = items.every(({ type }) => type === "text");
  const result = isText ? items.map((item) => ("text" in item ? item.text : "")).join("\n") : items;
  return { result, omittedChars };
}

type Item =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string };

function marker(omitted: number): string {
  return `[… ${omitted} characters are not shown. The model has read them.]`;
}
