import { createReadStream } from "node:fs";
import { type FramedLine, LineFramer } from "../../wire/index.js";
import { type Entry, parseEntry } from "./excerpt.js";

/** The entries of a transcript, one after the other; broken lines are left out. */
export async function* readEntries(path: string): AsyncGenerator<Entry> {
  const framer = new LineFramer();
  for await (const chunk of createReadStream(path)) yield* entriesOf(framer.push(chunk as Buffer));
  yield* entriesOf(framer.end());
}

function* entriesOf(lines: readonly FramedLine[]): Generator<Entry> {
  for (const line of lines) {
    // The last line may be whole without its LF; one that is being written does not parse.
    const text = typeof line === "string" ? line : line.kind === "broken" ? line.text : "";
    const entry = parseEntry(text);
    if (entry !== undefined) yield entry;
  }
}
