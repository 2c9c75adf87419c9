import { isObject } from "./json.js";

/** The plain text of a prompt or of the content of a message: a text, or a list of blocks. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(contentText).filter(Boolean).join("\n");
  if (!isObject(content)) return "";
  const { type, text } = content;
  if (typeof text === "string") return text;
  if (content["content"] !== undefined) return contentText(content["content"]);
  return typeof type === "string" ? `[${type}]` : "";
}

/** The first line that has text, cut to a length. */
export function firstLine(text: string, limit = 160): string {
  const line =
    text
      .split("\n")
      .find((each) => each.trim() !== "")
      ?.trim() ?? "";
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
