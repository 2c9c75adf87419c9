import { EventLoopPause } from "../event-loop-pause.js";
import { contentBlocks, type Entry, readEntries } from "../files/entry.js";
import { findTranscript, isSessionId } from "../files/find-transcript.js";
import { projectKeyOf } from "../files/project-paths.js";
import { slicePage } from "../list/page.js";
import { userInputOf } from "../list/user-input.js";
import type { GetSessionMessagesOptions, SessionMessage } from "../types.js";
import { findConversation } from "./conversation.js";
import { isOfOtherAgent } from "./entry-graph.js";

export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const types = options.includeSystemMessages === true ? WITH_SYSTEM : MESSAGES;
  const entries = await linkedEntries(sessionId, options);
  const chain =
    options.includeHistory === true ? lastOfEach(entries) : await findConversation(entries);
  const shown = chain.filter(
    (entry) =>
      types.has(String(entry["type"])) && entry["isMeta"] !== true && !isOfOtherAgent(entry),
  );
  const completed = await completedCommands(chain);
  return slicePage(shown, options).map((entry) =>
    messageOf(entry, NO_PARENT, completed.has(entry)),
  );
}

/** Each entry once, at its last position in the file: the CLI can write an entry again. */
function lastOfEach(entries: readonly Entry[]): Entry[] {
  const found = new Map<unknown, Entry>();
  for (const entry of entries) {
    found.delete(entry["uuid"]);
    found.set(entry["uuid"], entry);
  }
  return [...found.values()];
}

/** The tool call and the agent that started a sub-agent. */
export interface Parent {
  readonly toolUseId: string | null;
  readonly agentId: string | null;
}

export const NO_PARENT: Parent = { toolUseId: null, agentId: null };

export function messageOf(entry: Entry, parent: Parent, isCompleted = false): SessionMessage {
  const { type, uuid, sessionId, message, timestamp } = entry;
  const isSummary = entry["isCompactSummary"] === true;
  return {
    type: type as SessionMessage["type"],
    uuid: uuid as string,
    session_id: sessionId as string,
    message,
    parent_tool_use_id: parent.toolUseId,
    parent_agent_id: parent.agentId,
    ...(entry["origin"] === undefined ? {} : { origin: entry["origin"] }),
    ...(isSummary ? { isCompactSummary: true } : {}),
    ...(isSummary || entry["isMeta"] === true ? { is_meta: true } : {}),
    ...(isCompleted ? { isCompletedLocalCommand: true } : {}),
    ...(typeof timestamp === "string" ? { timestamp } : {}),
  };
}

/**
 * The commands that the CLI ran itself, and their output: a command is one if output follows it.
 */
async function completedCommands(chain: readonly Entry[]): Promise<Set<Entry>> {
  const pause = new EventLoopPause();
  const completed = new Set<Entry>();
  for (const [at, entry] of chain.entries()) {
    if (pause.isDue()) await pause.take();
    const next = chain[at + 1];
    if (next === undefined || userInputOf(entry)?.kind !== "command" || !isOutput(next)) continue;
    completed.add(entry);
    if (next["type"] === "user") completed.add(next);
  }
  return completed;
}

/**
 * Older CLIs write the output of a command as a user line. Newer ones do that or write a notice.
 */
function isOutput(entry: Entry): boolean {
  if (entry["type"] === "system") return entry["subtype"] === "local_command";
  const text = entry["type"] === "user" ? contentBlocks(entry)[0]?.["text"] : undefined;
  return typeof text === "string" && /^<local-command-std(?:out|err)>/.test(text);
}

const MESSAGES: ReadonlySet<string> = new Set(["user", "assistant"]);
const WITH_SYSTEM: ReadonlySet<string> = new Set([...MESSAGES, "system"]);

/**
 * Only entries with an id: most bytes of a transcript are records of requests, which are not
 * needed.
 */
async function linkedEntries(
  sessionId: string,
  options: GetSessionMessagesOptions,
): Promise<readonly Entry[]> {
  const { sessionStore, dir } = options;
  if (sessionStore !== undefined) {
    return (await sessionStore.load({ projectKey: await projectKeyOf(dir), sessionId })) ?? [];
  }
  const file = await findTranscript(sessionId, options);
  const entries: Entry[] = [];
  if (file === undefined) return entries;
  for await (const entry of readEntries(file.path)) {
    if (typeof entry["uuid"] === "string") entries.push(entry);
  }
  return entries;
}
