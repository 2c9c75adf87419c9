import { createInterface } from "node:readline/promises";
import { HawserError, oneLine } from "../../base/index.js";
import { deleteSession, type SDKSessionInfo } from "../../transcripts/index.js";
import { usageError } from "../command/flags.js";
import type { Terminal } from "../terminal/terminal.js";
import { isYes } from "../terminal/yes-no.js";
import type { ChangeOptions } from "./rename.js";

/** Deletes sessions for good after the user agreed. Without a terminal to ask on, `--yes` is needed. */
export async function deleteSessions(
  terminal: Terminal,
  sessions: readonly SDKSessionInfo[],
  { configDir, json, yes }: ChangeOptions & { readonly yes: boolean },
): Promise<number> {
  const unique = [...new Map(sessions.map((each) => [each.sessionId, each])).values()];
  if (!yes && !(await agrees(terminal, unique))) {
    terminal.note("Nothing was deleted.");
    if (json) terminal.writeLine(JSON.stringify({ deleted: [] }));
    return 1;
  }
  for (const { sessionId } of unique) await deleteSession(sessionId, { configDir });
  const deleted = unique.map(({ sessionId }) => sessionId);
  if (json) terminal.writeLine(JSON.stringify({ deleted }));
  else if (terminal.isShown)
    terminal.note(deleted.length === 1 ? "Deleted." : `Deleted ${deleted.length} sessions.`);
  else terminal.writeLine(deleted.join("\n"));
  return 0;
}

async function agrees(terminal: Terminal, sessions: readonly SDKSessionInfo[]): Promise<boolean> {
  if (!terminal.isInteractive) {
    throw usageError("hawser cannot ask before it deletes.", "Use --yes to delete without asking.");
  }
  for (const { sessionId, summary } of sessions) {
    terminal.note(`  ${terminal.style.dim(sessionId.slice(0, 8))}  ${oneLine(summary, LONGEST)}`);
  }
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  line.once("SIGINT", () => gone.abort());
  line.once("close", () => gone.abort());
  try {
    const what = sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`;
    const answer = await line.question(`Delete ${what} for good? [y/N] `, { signal: gone.signal });
    return isYes(answer);
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    // Ctrl-C, or the end of the input.
    process.stderr.write("\n");
    throw new HawserError("aborted", "Nothing was deleted.", {
      hint: "--yes deletes without asking.",
    });
  } finally {
    line.close();
  }
}

const LONGEST = 60;
