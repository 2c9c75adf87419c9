import { close, fstat, open, read } from "node:fs";
import { promisify } from "node:util";

/** How much is read at each end of a transcript: what a list shows of a session stands there. */
export const EXCERPT_BYTES: number = 64 * 1024;

export type Entry = Readonly<Record<string, unknown>>;

/** One end of a file. A line that was parsed once is not parsed again: that would be all the work. */
export interface End {
  readonly bytes: Buffer;
  readonly parsed: Map<number, Entry | undefined>;
}

/** Both ends of a file; the same one twice when the file is short. */
export interface Excerpt extends FileFacts {
  readonly head: End;
  readonly tail: End;
}

/** The size and the time of a file. */
export interface FileFacts {
  readonly size: number;
  /** Whole milliseconds since 1970. */
  readonly mtime: number;
}

/** Room for one excerpt at a time. */
export function excerptSpace(): Buffer {
  return Buffer.allocUnsafeSlow(2 * EXCERPT_BYTES);
}

/** Reads both ends of a file into `space`, which the excerpt is a view of until the next call. */
export async function readExcerpt(
  path: string,
  space: Buffer,
  known?: FileFacts,
): Promise<Excerpt> {
  const file = await openFile(path, "r");
  try {
    const { size, mtime } = known ?? factsOf(await statFile(file));
    const head = await readEnd(file, space, 0, 0);
    if (size <= EXCERPT_BYTES) return { head, tail: head, size, mtime };
    const start = size - EXCERPT_BYTES;
    const tail = await readEnd(file, space, EXCERPT_BYTES, start);
    return { head, tail, size, mtime };
  } finally {
    await closeFile(file);
  }
}

export function factsOf({ size, mtimeMs }: { size: number; mtimeMs: number }): FileFacts {
  return { size, mtime: Math.round(mtimeMs) };
}

// Plain numbers for files: the objects of node:fs/promises would be most of what a list takes.
const openFile = promisify(open);
const statFile = promisify(fstat);
const readFile = promisify(read);
const closeFile = promisify(close);

/**
 * The entries whose lines hold `mark`, from the start. Only those lines become strings at all: the
 * others, most of them long, stay bytes.
 */
export function* entriesWith(mark: Buffer, end: End): Generator<Entry> {
  const { bytes } = end;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, lineEnd(bytes, at))) {
    const entry = entryAt(end, at);
    if (entry !== undefined) yield entry;
  }
}

/** The same entries from the end. */
export function* entriesWithBackwards(mark: Buffer, end: End): Generator<Entry> {
  const { bytes } = end;
  for (let at = bytes.lastIndexOf(mark); at >= 0; ) {
    const entry = entryAt(end, at);
    if (entry !== undefined) yield entry;
    const start = lineStart(bytes, at);
    at = start === 0 ? -1 : bytes.lastIndexOf(mark, start - 1);
  }
}

/** To be called when an excerpt has served: the promise that brought it may live on for long. */
export function forgetLines({ head, tail }: Excerpt): void {
  head.parsed.clear();
  tail.parsed.clear();
}

export function firstEntry(end: End): Entry | undefined {
  return entryAt(end, 0);
}

export function firstLine({ bytes }: End): string {
  return bytes.toString("utf8", 0, lineEnd(bytes, 0));
}

/** The object on a line; undefined for a line that is broken, cut or none. */
export function parseEntry(line: string): Entry | undefined {
  try {
    return asEntry(JSON.parse(line));
  } catch {
    return undefined; // A line that a crash cut off, or that the excerpt did.
  }
}

export function asEntry(value: unknown): Entry | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Entry) : undefined;
}

const LF = 0x0a;

async function readEnd(file: number, space: Buffer, at: number, position: number): Promise<End> {
  const { bytesRead } = await readFile(file, space, at, EXCERPT_BYTES, position);
  return { bytes: space.subarray(at, at + bytesRead), parsed: new Map() };
}

function entryAt({ bytes, parsed }: End, at: number): Entry | undefined {
  const start = lineStart(bytes, at);
  if (!parsed.has(start)) {
    parsed.set(start, parseEntry(bytes.toString("utf8", start, lineEnd(bytes, at))));
  }
  return parsed.get(start);
}

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1;
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(LF, at);
  return end < 0 ? bytes.length : end;
}
