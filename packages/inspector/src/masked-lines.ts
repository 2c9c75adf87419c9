/**
 * The lines of a file with secrets masked, some at a time. A secret never reaches over the end of a line of JSON. A
 * line that is too long to be held in memory is replaced by one that says so. `mostBytes` is more than a chunk has.
 */
export async function* maskedLines(
  chunks: AsyncIterable<Uint8Array>,
  mask: (text: string) => string,
  mostBytes: number = MOST_BYTES,
): AsyncGenerator<Uint8Array, void> {
  /** The parts of the line that has begun, unless it is too long. */
  let begun: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.byteLength;
    if (size > mostBytes) begun = [];
    else begun.push(part);
  };
  const lines = (): Uint8Array => {
    const text = size > mostBytes ? leftOut(size) : mask(Buffer.concat(begun).toString("utf8"));
    begun = [];
    size = 0;
    return Buffer.from(text);
  };
  for await (const chunk of chunks) {
    const first = chunk.indexOf(LINE_FEED) + 1;
    if (first > 0) {
      // The line that has begun earlier is judged alone, so that lines behind it are not left out with it.
      take(chunk.subarray(0, first));
      yield lines();
    }
    const last = chunk.lastIndexOf(LINE_FEED) + 1;
    if (last > first)
      yield Buffer.from(mask(Buffer.from(chunk.subarray(first, last)).toString("utf8")));
    if (last < chunk.byteLength) take(chunk.subarray(last));
  }
  if (size > 0) yield lines();
}

const LINE_FEED = 10;
const MOST_BYTES = 16 * 2 ** 20;

function leftOut(bytes: number): string {
  return `${JSON.stringify({ type: "left_out", bytes })}\n`;
}
