import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ifAbsent } from "../storage-error.js";
import { parseEntry, parseTimestamp } from "./entry.js";
import type { TranscriptFile } from "./find-transcript.js";
import { replaceFile } from "./replace-file.js";

/**
 * Whether the session is archived. A prompt that is later than the mark ends the archiving.
 * Undefined if the session was never archived.
 */
export async function readArchiveMark(
  file: TranscriptFile,
  promptedAt: number | undefined,
): Promise<boolean | undefined> {
  const text = await readFile(markPath(file), "utf8").catch(ifAbsent(undefined)); // No mark.
  const mark = text === undefined ? undefined : parseEntry(text);
  const at = parseTimestamp(mark?.["at"]);
  if (typeof mark?.["archived"] !== "boolean" || at === undefined) return undefined;
  return mark["archived"] && !(promptedAt !== undefined && promptedAt > at);
}

export async function writeArchiveMark(file: TranscriptFile, archived: boolean): Promise<void> {
  const path = markPath(file);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const at = new Date().toISOString();
  await replaceFile(path, `${JSON.stringify({ archived, at, by: "sdk" })}\n`);
}

/** The file beside a transcript that says whether the session is archived. */
function markPath({ folder, sessionId }: TranscriptFile): string {
  return join(folder, sessionId, "archived.json");
}
