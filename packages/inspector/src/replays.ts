import { constants, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { HawserError } from "hawser";
import { maskedLines } from "./masked-lines.js";

/** A file to be played, as the page sees it. */
export interface ReplayInfo {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Cassettes and transcripts that the page can play. They are read each time, because they may grow: line by line, as
 * fast as the client reads, so that memory does not depend on their size.
 */
export class Replays {
  readonly #files: readonly string[];
  readonly #mask: (text: string) => string;

  /** Throws `invalid_options` if a file cannot be read, or holds no JSON lines. `mask` hides secrets in a text. */
  static async open(files: readonly string[], mask: (text: string) => string): Promise<Replays> {
    const replays = new Replays(
      files.map((file) => resolve(file)),
      mask,
    );
    await replays.list();
    for (const file of replays.#files) await checkFirstLine(file);
    return replays;
  }

  private constructor(files: readonly string[], mask: (text: string) => string) {
    this.#files = files;
    this.#mask = mask;
  }

  async list(): Promise<readonly ReplayInfo[]> {
    return Promise.all(
      this.#files.map(async (file, index) => {
        const found = await stat(file).catch((cause: unknown) => {
          throw unusable(`Cannot read ${file}.`, cause);
        });
        checkFile(file, found);
        return { id: String(index + 1), name: basename(file), bytes: found.size };
      }),
    );
  }

  /** The text of the file, with secrets masked; undefined if there is no such one. */
  async read(id: string): Promise<ReadableStream<Uint8Array> | undefined> {
    const file = /^\d{1,6}$/.test(id) ? this.#files[Number(id) - 1] : undefined;
    if (file === undefined) return undefined;
    // A pipe in place of the file would otherwise be waited for without end.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const handle = await open(file, flags).catch((cause: unknown) => {
      throw unusable(`Cannot read ${file}.`, cause);
    });
    try {
      const found = await handle.stat();
      checkFile(file, found);
      const bytes = handle.createReadStream({ end: Math.max(found.size - 1, 0) });
      return ReadableStream.from(maskedLines(bytes, this.#mask));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

const MOST_BYTES = 256 * 2 ** 20;
const MOST_BYTES_CHECKED = 64 * 2 ** 10;

function checkFile(file: string, found: Stats): void {
  if (!found.isFile()) throw unusable(`${file} is not a file.`);
  if (found.size <= MOST_BYTES) return;
  throw new HawserError("invalid_options", `${file} has more than 256 MB.`, {
    hint: "A page cannot show so much. Name a smaller file.",
  });
}

/** An empty file is fine, because it may grow. Of a very long line only the first character is checked. */
async function checkFirstLine(file: string): Promise<void> {
  const handle = await open(file).catch((cause: unknown) => {
    throw unusable(`Cannot read ${file}.`, cause);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES_CHECKED));
    const start = buffer.toString("utf8", 0, bytesRead).trimStart();
    const isWhole = start.includes("\n") || bytesRead < MOST_BYTES_CHECKED;
    const isObject = isWhole ? holdsObject(start.split("\n", 1).join()) : start.startsWith("{");
    if (start !== "" && !isObject) throw unusable(`${file} holds no JSON lines.`);
  } finally {
    await handle.close();
  }
}

function holdsObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function unusable(message: string, cause?: unknown): HawserError {
  return new HawserError("invalid_options", message, {
    hint: "Name a cassette or a transcript, which is a file of JSON lines.",
    cause,
  });
}
