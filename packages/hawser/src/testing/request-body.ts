/** The fields of a JSON object; of anything else, none. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The objects of a list. A string, the API's short form of one text block, becomes that block. */
export function blocksOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return Array.isArray(value) ? value.map(asRecord) : [];
}

/** The texts of a string or a list of blocks, one below the other. */
export function textOf(content: unknown, keep: (text: string) => boolean = () => true): string {
  return blocksOf(content)
    .map((block) => block["text"])
    .filter((text): text is string => typeof text === "string" && text !== "" && keep(text))
    .join("\n");
}
