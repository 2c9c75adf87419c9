import { oneLine } from "../../base/index.js";
import {
  listSessions,
  type SDKSessionInfo,
  type TranscriptPlace,
} from "../../transcripts/index.js";
import { usageError } from "../command/flags.js";
import { offlineSessionsFolder } from "../offline/sessions-folder.js";
import type { Terminal } from "../terminal/terminal.js";
import { ageOf } from "./age.js";

export interface ListFlags {
  readonly limit: string | undefined;
  readonly offline: boolean;
  readonly json: boolean;
}

/** Prints the latest sessions of the place, the newest first. */
export async function list(
  terminal: Terminal,
  place: TranscriptPlace,
  flags: ListFlags,
): Promise<number> {
  const limit = limitOf(flags.limit);
  // One more than shown, to learn whether there are more.
  const found = await listSessions({ ...place, limit: limit === 0 ? 0 : limit + 1 });
  const shown = limit === 0 ? found : found.slice(0, limit);
  if (flags.json) {
    terminal.writeLine(JSON.stringify({ sessions: shown, more: found.length > shown.length }));
    return 0;
  }
  const lines = terminal.isShown ? forPeople(shown, place, terminal) : shown.map(forPrograms);
  if (shown.length > 0) process.stdout.write(`${lines.join("\n")}\n`);
  else {
    const where =
      place.dir === undefined
        ? ""
        : ` in ${oneLine(place.dir, LONGEST)}; --all lists those of other folders`;
    terminal.note(`There are no sessions${where}.`);
    if (!flags.offline && (await hasOffline(place))) {
      terminal.note("--offline lists those with the simulated model.");
    }
  }
  if (found.length > shown.length) {
    terminal.note(
      terminal.style.dim(`There are more: --limit ${limit * 5}, or --limit 0 for all.`),
    );
  }
  return 0;
}

async function hasOffline({ dir }: TranscriptPlace): Promise<boolean> {
  const configDir = offlineSessionsFolder();
  return configDir !== undefined && (await listSessions({ dir, configDir, limit: 1 })).length > 0;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return USUAL_LIMIT;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`--limit must be a whole number, not ${text}.`, "0 shows all sessions.");
}

const USUAL_LIMIT = 20;

/** Fields with tabs between them: whole id, time, folder, summary. */
function forPrograms({ sessionId, lastModified, cwd = "", summary }: SDKSessionInfo): string {
  const time = new Date(lastModified).toISOString();
  return [sessionId, time, oneLine(cwd, LONGEST), oneLine(summary, LONGEST)].join("\t");
}

const LONGEST = 1000;

function forPeople(
  sessions: readonly SDKSessionInfo[],
  { dir }: TranscriptPlace,
  { outStyle, width }: Terminal,
): string[] {
  const ids = shortIds(sessions.map(({ sessionId }) => sessionId));
  const ages = sessions.map(({ lastModified }) => ageOf(Date.now() - lastModified));
  const widest = Math.max(AGE.length, ...ages.map((age) => age.length));
  const isElsewhere = sessions.some(({ cwd }) => cwd !== undefined && cwd !== dir);
  const label = isElsewhere ? "ABOUT AND FOLDER" : "ABOUT";
  const header = `${"ID".padEnd(ids[0]?.length ?? 0)}  ${AGE.padStart(widest)}  ${label}`;
  const rows = sessions.map(({ summary, cwd }, i) => {
    const [id = "", age = ""] = [ids[i], ages[i]];
    // The folder of the list itself is not repeated in each row.
    const folder = cwd === undefined || cwd === dir ? "" : `  ${oneLine(cwd, width / 3)}`;
    const room = width - id.length - widest - folder.length - 5;
    const about = oneLine(summary, Math.max(room, SHORTEST_SUMMARY));
    return `${outStyle.cyan(id)}  ${outStyle.dim(age.padStart(widest))}  ${about}${outStyle.dim(folder)}`;
  });
  return [outStyle.dim(header), ...rows];
}

const AGE = "AGE";

const SHORTEST_SUMMARY = 20;

/** The shortest prefixes, of at least eight characters, that tell the ids apart. */
function shortIds(ids: readonly string[]): string[] {
  for (let length = 8; length < 36; length += 1) {
    const short = ids.map((id) => id.slice(0, length));
    if (new Set(short).size === ids.length) return short;
  }
  return [...ids];
}
