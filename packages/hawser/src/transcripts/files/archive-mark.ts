import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { timeOf } from "../list/session-digest.js";
import { ifAbsent } from "../storage-error.js";
import { parseEntry } from "./excerpt.js";
import type { TranscriptFile } from "./find-transcript.js";

/** The file beside a transcript that says whether the session is archived. */
export function archiveMarkPath({ folder, sessionId }: TranscriptFile): string {
  return join(folder, sessionId, "archived.json");
}

/** Whether the session is archived; a prompt that came later ends that. Undefined if it never was. */
export async function archivedMark(
  file: TranscriptFile,
  promptedAt: number | undefined,
): Promise<boolean | undefined> {
  const text = await readFile(archiveMarkPath(file), "utf8").catch(ifAbsent(undefined)); // No mark.
  const mark = text === undefined ? undefined : parseEntry(text);
  const at = timeOf(mark?.["at"]);
  if (typeof mark?.["archived"] !== "boolean" || at === undefined) return undefined;
  return mark["archived"] && !(promptedAt !== undefined && promptedAt > at);
}
