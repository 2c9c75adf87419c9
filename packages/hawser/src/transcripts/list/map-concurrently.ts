/**
 * Runs `work` on the items in order, some of them at the same time, until it has given `wanted`
 * results or no item is left. The results keep the order of the items; undefined is no result.
 */
export async function pooled<Item, Space, Result>(
  items: readonly Item[],
  spaces: readonly Space[],
  work: (item: Item, space: Space) => Promise<Result | undefined>,
  wanted: number = Number.POSITIVE_INFINITY,
): Promise<Result[]> {
  const results: (Result | undefined)[] = [];
  let next = 0;
  let given = 0;
  const worker = async (space: Space): Promise<void> => {
    while (next < items.length && given < wanted) {
      const at = next++;
      const result = await work(items[at] as Item, space);
      results[at] = result;
      if (result !== undefined) given += 1;
    }
  };
  await Promise.all(spaces.map(worker));
  // Workers beside each other may give a few more than wanted; every item before those is done.
  return results.filter((result) => result !== undefined).slice(0, wanted);
}
