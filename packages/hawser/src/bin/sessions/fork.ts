import { forkSession, getSessionMessages, type SDKSessionInfo } from "../../transcripts/index.js";
import { usageError } from "../command/flags.js";
import type { Terminal } from "../terminal/terminal.js";
import type { ChangeOptions } from "./rename.js";

/** Copies a session into a new one and prints its id. */
export async function fork(
  terminal: Terminal,
  { sessionId: source }: SDKSessionInfo,
  options: ChangeOptions & {
    readonly title: string | undefined;
    readonly upTo: string | undefined;
  },
): Promise<number> {
  const { configDir, json, title, upTo } = options;
  const upToMessageId = upTo === undefined ? undefined : await messageOf(source, upTo, configDir);
  const { sessionId } = await forkSession(source, { configDir, title, upToMessageId });
  terminal.writeLine(json ? JSON.stringify({ sessionId, source }) : sessionId);
  return 0;
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
  const hint = "`hawser sessions show` prints the ids where a fork can end.";
  if (one === undefined) throw usageError(`The session has no message ${start}.`, hint);
  if (other !== undefined) throw usageError(`${start} matches ${found.length} messages.`, hint);
  return one.uuid;
}
