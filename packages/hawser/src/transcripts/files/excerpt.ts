import { close, fstat, open, read } from "node:fs";
import { promisify } from "node:util";
import { type Entry, parseEntry } from "./entry.js";

/** The bytes read at each end of a transcript. A list needs nothing from the middle. */
export const EXCERPT_BYTES: number = 64 * 1024;

/** One end of a file. Parsed lines are kept, because parsing is most of the work of a list. */
export interface ExcerptEnd {
  readonly bytes: Buffer;
  readonly parsed: Map<number, Entry | undefined>;
}

/** Both ends of a file. `head` and `tail` are the same object if the file is short. */
export interface Excerpt extends FileFacts {
  readonly head: ExcerptEnd;
  readonly tail: ExcerptEnd;
}

/** The size and the time of a file. */
export interface FileFacts {
  readonly size: number;
  /** Whole milliseconds since 1970. */
  readonly mtime: number;
}

/** A buffer for one excerpt at a time. */
export function allocateExcerptBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(2 * EXCERPT_BYTES);
}

/**
 * Reads both ends of a file into `buffer`. The excerpt is a view of the buffer until the next call.
 */
export async function readExcerpt(
  path: string,
  buffer: Buffer,
  known?: FileFacts,
): Promise<Excerpt> {
  const file = await openFile(path, "r");
  try {
    const { size, mtime } = known ?? fileFactsOf(await statFile(file));
    const head = await readEnd(file, buffer, 0, 0);
    if (size <= EXCERPT_BYTES) return { head, tail: head, size, mtime };
    const start = size - EXCERPT_BYTES;
    const tail = await readEnd(file, buffer, EXCERPT_BYTES, start);
    return { head, tail, size, mtime };
  } finally {
    await closeFile(file);
  }
}

export function fileFactsOf({ size, mtimeMs }: { size: number; mtimeMs: number }): FileFacts {
  return { size, mtime: Math.round(mtimeMs) };
}

// File descriptors as numbers, because the objects of node:fs/promises would take most of the
// memory of a list.
const openFile = promisify(open);
const statFile = promisify(fstat);
const readFile = promisify(read);
const closeFile = promisify(close);

/**
 * The entries whose lines contain `mark`, from the start. Only these lines are decoded to strings;
 * the others, most of them long, stay bytes.
 */
export function* entriesContaining(mark: Buffer, end: ExcerptEnd): Generator<Entry> {
  const { bytes } = end;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, lineEnd(bytes, at))) {
    const entry = entryAt(end, at);
    if (entry !== undefined) yield entry;
  }
}

/** The entries whose lines contain `mark`, from the end. */
export function* entriesContainingBackwards(mark: Buffer, end: ExcerptEnd): Generator<Entry> {
  const { bytes } = end;
  for (let at = bytes.lastIndexOf(mark); at >= 0; ) {
    const entry = entryAt(end, at);
    if (entry !== undefined) yield entry;
    const start = lineStart(bytes, at);
    at = start === 0 ? -1 : bytes.lastIndexOf(mark, start - 1);
  }
}

/**
 * Call this after the last use of an excerpt, because its promise may keep it in memory for long.
 */
export function clearParsedLines({ head, tail }: Excerpt): void {
  head.parsed.clear();
  tail.parsed.clear();
}

export function firstEntry(end: ExcerptEnd): Entry | undefined {
  return entryAt(end, 0);
}

export function firstLine({ bytes }: ExcerptEnd): string {
  return bytes.toString("utf8", 0, lineEnd(bytes, 0));
}

const LF = 0x0a;

async function readEnd(
  file: number,
  buffer: Buffer,
  at: number,
  position: number,
): Promise<ExcerptEnd> {
  const { bytesRead } = await readFile(file, buffer, at, EXCERPT_BYTES, position);
  return { bytes: buffer.subarray(at, at + bytesRead), parsed: new Map() };
}

function entryAt({ bytes, parsed }: ExcerptEnd, at: number): Entry | undefined {
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
