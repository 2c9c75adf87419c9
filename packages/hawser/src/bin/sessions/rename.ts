import { oneLine } from "../../base/index.js";
import { renameSession, type SDKSessionInfo } from "../../transcripts/index.js";
import type { Terminal } from "../terminal/terminal.js";

/** The options of each verb of `hawser sessions` that changes a session. */
export interface ChangeOptions {
  readonly configDir: string | undefined;
  readonly json: boolean;
}

export async function rename(
  terminal: Terminal,
  { sessionId }: SDKSessionInfo,
  title: string,
  { configDir, json }: ChangeOptions,
): Promise<number> {
  await renameSession(sessionId, title, { configDir });
  if (json) terminal.writeLine(JSON.stringify({ sessionId, title: title.trim() }));
  else if (terminal.isShown)
    terminal.note(`Renamed ${sessionId} to ${JSON.stringify(oneLine(title, LONGEST))}.`);
  else terminal.writeLine(sessionId);
  return 0;
}

const LONGEST = 60;
