export interface Bounds {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The bounds of a page; a limit of 0 or less is none, and so is one that is not given. */
export function pageOf({ limit, offset }: Bounds): { offset: number; wanted: number } {
  const wanted = limit !== undefined && limit > 0 ? Math.floor(limit) : Number.POSITIVE_INFINITY;
  return { offset: Math.max(0, Math.floor(offset ?? 0)), wanted };
}

export function pageFrom<Item>(items: readonly Item[], bounds: Bounds): Item[] {
  const { offset, wanted } = pageOf(bounds);
  return items.slice(offset, offset + wanted);
}
