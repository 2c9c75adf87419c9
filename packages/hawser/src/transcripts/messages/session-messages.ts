import { Pace } from "../event-loop-pause.js";
import { readEntries } from "../files/entry.js";
import type { Entry } from "../files/excerpt.js";
import { findTranscript } from "../files/find-transcript.js";
import { isSessionId, projectKeyOf } from "../files/project-paths.js";
import { pageFrom } from "../list/page.js";
import { contentBlocks, saidBy } from "../list/user-input.js";
import type { GetSessionMessagesOptions, SessionMessage } from "../types.js";
import { conversation, isAside } from "./conversation.js";

export async function getSessionMessages(
  sessionId: string,
  options: GetSessionMessagesOptions = {},
): Promise<SessionMessage[]> {
  if (!isSessionId(sessionId)) return [];
  const types = options.includeSystemMessages === true ? WITH_SYSTEM : MESSAGES;
  const chain = await conversation(await linkedEntries(sessionId, options));
  const shown = chain.filter(
    (entry) => types.has(String(entry["type"])) && entry["isMeta"] !== true && !isAside(entry),
  );
  const completed = await completedCommands(chain);
  return pageFrom(shown, options).map((entry) => messageOf(entry, NO_PARENT, completed.has(entry)));
}

/** Who started a sub-agent. */
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

/** The commands whose output follows them, and that output: the CLI ran them by itself. */
async function completedCommands(chain: readonly Entry[]): Promise<Set<Entry>> {
  const pace = new Pace();
  const completed = new Set<Entry>();
  for (const [at, entry] of chain.entries()) {
    if (pace.isDue()) await pace.rest();
    const next = chain[at + 1];
    if (next === undefined || saidBy(entry)?.kind !== "command" || !isOutput(next)) continue;
    completed.add(entry);
    if (next["type"] === "user") completed.add(next);
  }
  return completed;
}

/** Newer CLIs write the output of a command as a notice, or as a user line as the older ones do. */
function isOutput(entry: Entry): boolean {
  if (entry["type"] === "system") return entry["subtype"] === "local_command";
  const text = entry["type"] === "user" ? contentBlocks(entry)[0]?.["text"] : undefined;
  return typeof text === "string" && /^<local-command-std(?:out|err)>/.test(text);
}

const MESSAGES: ReadonlySet<string> = new Set(["user", "assistant"]);
const WITH_SYSTEM: ReadonlySet<string> = new Set([...MESSAGES, "system"]);

/** Most of a transcript's bytes are records of requests, which no message needs. */
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
