import { once } from "node:events";

/**
 * The items of several sources, in the order in which they come. It asks each source for one item ahead and no more,
 * so that a slow reader does not fill the memory. It ends when one of the sources ends or fails, and without sources
 * when the signal aborts.
 */
export async function* mergeChanges<Item>(
  sources: readonly AsyncIterable<Item>[],
  signal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  if (sources.length === 0 && !signal.aborted) await once(signal, "abort");
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (index: number) =>
    Promise.resolve(iterators[index]?.next()).then((result) => ({ index, result }));
  const waiting = new Map(iterators.map((_, index) => [index, next(index)]));
  try {
    while (waiting.size > 0) {
      const { index, result } = await Promise.race(waiting.values());
      if (result === undefined || result.done === true) return;
      waiting.set(index, next(index));
      yield result.value;
    }
  } finally {
    for (const each of waiting.values()) each.catch(() => {});
    // A source that waits for its next item ends by the signal that the sources share.
    for (const iterator of iterators) iterator.return?.()?.catch(() => {});
  }
}
