import { objectOf } from "../../base/index.js";

/** The objects of a list. A string, the API's short form of one text block, becomes that block. */
export function blocksOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value) ? value.map(objectOf) : [];
}

/** The texts of a string or a list of blocks, one below the other. */
export function textOf(content: unknown, keep: (text: string) => boolean = () => true): string {
  return blocksOf(content)
    .map((block) => block["text"])
    .filter((text): text is string => typeof text === "string" && text !== "" && keep(text))
    .join("\n");
}
