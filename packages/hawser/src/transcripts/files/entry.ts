import { createReadStream } from "node:fs";
import { isObject } from "../../base/index.js";
import { type FramedLine, LineFramer } from "../../wire/index.js";

/** One line of a transcript. The CLI writes it, so any field may be absent or of another type. */
export type Entry = Readonly<Record<string, unknown>>;

/** Reads the entries of a transcript one after the other. Broken lines are left out. */
export async function* readEntries(path: string): AsyncGenerator<Entry> {
  const framer = new LineFramer();
  for await (const chunk of createReadStream(path)) yield* entriesOf(framer.push(chunk as Buffer));
  yield* entriesOf(framer.end());
}

function* entriesOf(lines: readonly FramedLine[]): Generator<Entry> {
  for (const line of lines) {
    // The last line may be complete without its LF. A line that is still being written does not
    // parse.
    const text = typeof line === "string" ? line : line.kind === "broken" ? line.text : "";
    const entry = parseEntry(text);
    if (entry !== undefined) yield entry;
  }
}

/** The object on a line; undefined for a line that is broken, cut off or not an object. */
export function parseEntry(line: string): Entry | undefined {
  try {
    return asEntry(JSON.parse(line));
  } catch {
    return undefined; // A crash or the border of an excerpt has cut the line off.
  }
}

export function asEntry(value: unknown): Entry | undefined {
  return isObject(value) ? value : undefined;
}

/** The content of an entry's message as blocks. */
export function contentBlocks(entry: Entry): readonly Entry[] {
  const content = asEntry(entry["message"])?.["content"];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.map(asEntry).filter((block) => block !== undefined);
}

/** Milliseconds since 1970; undefined for a value that is not a time. */
export function parseTimestamp(timestamp: unknown): number | undefined {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
