/**
 * Runs `work` on the items in order until it has given `wanted` results or no item is left. There
 * is one worker for each slot, and a worker passes its slot to `work`, so that two calls at the
 * same time never get the same slot. The results keep the order of the items; undefined is not a
 * result.
 */
export async function mapConcurrently<Item, Slot, Result>(
  items: readonly Item[],
  slots: readonly Slot[],
  work: (item: Item, slot: Slot) => Promise<Result | undefined>,
  wanted: number = Number.POSITIVE_INFINITY,
): Promise<Result[]> {
  const results: (Result | undefined)[] = [];
  let next = 0;
  let given = 0;
  const worker = async (slot: Slot): Promise<void> => {
    while (next < items.length && given < wanted) {
      const at = next++;
      const result = await work(items[at] as Item, slot);
      results[at] = result;
      if (result !== undefined) given += 1;
    }
  };
  await Promise.all(slots.map(worker));
  // Concurrent workers may give a few results too many. Every item before those is done.
  return results.filter((result) => result !== undefined).slice(0, wanted);
}
