import { createInterface } from "node:readline/promises";
import { HawserError } from "../../base/index.js";
import {
  deleteSession,
  forkSession,
  getSessionMessages,
  renameSession,
  type SDKSessionInfo,
} from "../../transcripts/index.js";
import { usageError } from "../flags.js";
import { oneLine, type Terminal } from "../terminal.js";

interface Options {
  readonly configDir: string | undefined;
  readonly json: boolean;
}

/** A copy that goes its own way; says its id. */
export async function fork(
  terminal: Terminal,
  { sessionId: source }: SDKSessionInfo,
  options: Options & { readonly title: string | undefined; readonly upTo: string | undefined },
): Promise<number> {
  const { configDir, json, title, upTo } = options;
  const upToMessageId = upTo === undefined ? undefined : await messageOf(source, upTo, configDir);
  const { sessionId } = await forkSession(source, { configDir, title, upToMessageId });
  terminal.writeLine(json ? JSON.stringify({ sessionId, source }) : sessionId);
  return 0;
}

export async function rename(
  terminal: Terminal,
  { sessionId }: SDKSessionInfo,
  title: string,
  { configDir, json }: Options,
): Promise<number> {
  await renameSession(sessionId, title, { configDir });
  if (json) terminal.writeLine(JSON.stringify({ sessionId, title: title.trim() }));
  else terminal.note(`${sessionId} is ${JSON.stringify(oneLine(title, LONGEST))} now.`);
  return 0;
}

/** Deletes for good, after asking; nobody to ask is a no. */
export async function remove(
  terminal: Terminal,
  sessions: readonly SDKSessionInfo[],
  { configDir, json, yes }: Options & { readonly yes: boolean },
): Promise<number> {
  const unique = [...new Map(sessions.map((each) => [each.sessionId, each])).values()];
  if (!yes && !(await agrees(terminal, unique))) {
    throw new HawserError("aborted", "Nothing was deleted.", { hint: "--yes deletes unasked." });
  }
  for (const { sessionId } of unique) await deleteSession(sessionId, { configDir });
  const deleted = unique.map(({ sessionId }) => sessionId);
  if (json) terminal.writeLine(JSON.stringify({ deleted }));
  else terminal.note(deleted.length === 1 ? "Deleted." : `Deleted ${deleted.length} sessions.`);
  return 0;
}

const LONGEST = 60;

async function agrees(terminal: Terminal, sessions: readonly SDKSessionInfo[]): Promise<boolean> {
  if (!terminal.isInteractive) {
    throw usageError("Nobody can be asked whether to delete.", "Say --yes to delete unasked.");
  }
  for (const { sessionId, summary } of sessions) {
    terminal.note(`  ${terminal.style.dim(sessionId.slice(0, 8))}  ${oneLine(summary, LONGEST)}`);
  }
  const line = createInterface({ input: process.stdin, output: process.stderr });
  const gone = new AbortController();
  // Ctrl-C and the end of the input are a no.
  line.once("SIGINT", () => gone.abort());
  line.once("close", () => gone.abort());
  try {
    const what = sessions.length === 1 ? "this session" : `these ${sessions.length} sessions`;
    const answer = await line.question(`Delete ${what} for good? [y/N] `, { signal: gone.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    process.stderr.write("\n");
    return false;
  } finally {
    line.close();
  }
}

/** The whole id of a message whose start is given. */
async function messageOf(
  sessionId: string,
  start: string,
  configDir: string | undefined,
): Promise<string> {
  const messages = await getSessionMessages(sessionId, { configDir });
  const found = messages.filter(({ uuid }) => uuid.startsWith(start.toLowerCase()));
  const [one, other] = found;
  const hint = "`hawser sessions show` has the id of the last message before each change of sides.";
  if (one === undefined) throw usageError(`The session has no message ${start}.`, hint);
  if (other !== undefined) throw usageError(`${start} may be ${found.length} messages.`, hint);
  return one.uuid;
}
