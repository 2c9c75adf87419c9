import type { ListSessionsOptions } from "../types.js";

/** The part of a list that a caller wants. */
type Page = Pick<ListSessionsOptions, "limit" | "offset">;

/** The bounds of a page. A limit that is absent, 0 or negative is no limit. */
export function pageBounds({ limit, offset }: Page): { offset: number; wanted: number } {
  const wanted = limit !== undefined && limit > 0 ? Math.floor(limit) : Number.POSITIVE_INFINITY;
  return { offset: Math.max(0, Math.floor(offset ?? 0)), wanted };
}

export function slicePage<Item>(items: readonly Item[], page: Page): Item[] {
  const { offset, wanted } = pageBounds(page);
  return items.slice(offset, offset + wanted);
}
