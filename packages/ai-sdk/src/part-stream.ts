/**
 * A stream of the parts of a generator. `cancel()` of the stream calls `stop` first, because a generator that waits
 * for its next part would not return before that part comes.
 */
export function partStream<Part>(
  first: IteratorResult<Part, unknown>,
  parts: AsyncGenerator<Part, unknown>,
  stop: () => void,
): ReadableStream<Part> {
  let next: Promise<IteratorResult<Part, unknown>> | undefined = Promise.resolve(first);
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const { done, value } = await (next ?? parts.next());
        next = undefined;
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        stop();
        await parts.return(undefined);
      },
    },
    // Nothing is read ahead: a slow reader slows the process down, not the memory.
    { highWaterMark: 0 },
  );
}
