import type { ContentBlock, OtherBlock } from "./message/content.js";

type Block = ContentBlock | OtherBlock;

/**
 * A copy of blocks that no later change of the caller reaches. It shares their texts, which cannot change, so that
 * images are not copied. The blocks must be JSON data: no cycles.
 */
export function copyContent(blocks: readonly Block[]): Block[] {
  return blocks.map((block) => copyOf(block) as Block);
}

function copyOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  if (hasJsonForm(value)) return copyOf(value.toJSON());
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

/** `JSON.stringify()` would write such a value by its own function, for example a date. */
function hasJsonForm(value: object): value is { toJSON(): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}
